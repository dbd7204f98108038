/* SPDX-License-Identifier: GPL-2.0 */
/* For the unit tests: test_sm.c has what is needed of it. */
