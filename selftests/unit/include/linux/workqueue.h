/* SPDX-License-Identifier: GPL-2.0 */
/* For the unit tests: work that the test has to queue and run. */
#ifndef _UNIT_LINUX_WORKQUEUE_H
#define _UNIT_LINUX_WORKQUEUE_H

struct work_struct {
	void (*run)(struct work_struct *work);
};

void unit_work_queue(struct work_struct *work);
void unit_work_cancel(struct work_struct *work);

#define INIT_WORK(work, fn)		((work)->run = (fn))
#define queue_work(queue, work)		unit_work_queue(work)
#define cancel_work_sync(work)		unit_work_cancel(work)

#endif
