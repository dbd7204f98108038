// SPDX-License-Identifier: GPL-2.0
/*
 * Named network namespaces, the way iproute2 keeps them: an empty file in
 * /run/netns with the namespace mounted on it, in a shared mount so that every
 * mount namespace sees it. Entering one also swaps /sys and some files of /etc.
 *
 * unshare() and setns() act on one thread, so the work inside a namespace is
 * done on short-lived threads and the program itself never moves.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>
#include <linux/magic.h>

#include "netns.h"

#ifndef SO_NETNS_COOKIE
#define SO_NETNS_COOKIE	71
#endif

struct call {
	int fd;			/* namespace to enter; -1: make a new one */
	int (*fn)(void *arg);
	void *arg;
	int ret;
};

static void netns_path(char *path, size_t size, const char *name)
{
	snprintf(path, size, "%s/%s", NETNS_DIR, name);
}

int netns_init(void)
{
	if (mkdir(NETNS_DIR, 0755) && errno != EEXIST)
		return -errno;
	if (!mount("", NETNS_DIR, "none", MS_SHARED | MS_REC, NULL))
		return 0;
	/* Not a mount point yet. */
	if (errno != EINVAL)
		return -errno;
	if (mount(NETNS_DIR, NETNS_DIR, "none", MS_BIND | MS_REC, NULL))
		return -errno;
	if (mount("", NETNS_DIR, "none", MS_SHARED | MS_REC, NULL))
		return -errno;
	return 0;
}

static int get_cookie(void *arg)
{
	socklen_t len = sizeof(uint64_t);
	int sock, ret = 0;

	sock = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (sock < 0)
		return -errno;
	if (getsockopt(sock, SOL_SOCKET, SO_NETNS_COOKIE, arg, &len))
		ret = -errno;
	close(sock);
	return ret;
}

/* The new namespace's cookie, and a file that keeps it. */
static int open_own(void *cookie)
{
	int fd;

	if (get_cookie(cookie))
		*(uint64_t *)cookie = 0;
	fd = open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

static void *call_thread(void *arg)
{
	struct call *c = arg;
	int err;

	err = c->fd < 0 ? unshare(CLONE_NEWNET) : setns(c->fd, CLONE_NEWNET);
	c->ret = err ? -errno : c->fn(c->arg);
	return NULL;
}

static int call(struct call *c)
{
	pthread_t thread;
	int err;

	err = pthread_create(&thread, NULL, call_thread, c);
	if (err)
		return -err;
	pthread_join(thread, NULL);
	return c->ret;
}

int netns_call(int fd, int (*fn)(void *arg), void *arg)
{
	struct call c = { .fd = fd, .fn = fn, .arg = arg };

	return fd < 0 ? -EBADF : call(&c);
}

int netns_new(uint64_t *cookie)
{
	struct call c = { .fd = -1, .fn = open_own, .arg = cookie };

	return call(&c);
}

int netns_name(int fd, const char *name)
{
	char path[128], from[64];
	int file, err;

	netns_path(path, sizeof(path), name);
	file = open(path, O_RDONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0);
	if (file < 0)
		return -errno;
	close(file);
	snprintf(from, sizeof(from), "/proc/self/fd/%d", fd);
	if (!mount(from, path, "none", MS_BIND, NULL))
		return 0;
	err = -errno;
	unlink(path);
	return err;
}

int netns_remove(const char *name)
{
	char path[128];

	netns_path(path, sizeof(path), name);
	/* EINVAL: the file is there, the mount is not. */
	if (umount2(path, MNT_DETACH) && errno != EINVAL && errno != ENOENT)
		return -errno;
	if (unlink(path) && errno != ENOENT)
		return -errno;
	return 0;
}

bool netns_exists(const char *name)
{
	char path[128];

	netns_path(path, sizeof(path), name);
	return !access(path, F_OK);
}

bool netns_is_mounted(const char *name)
{
	struct statfs st;
	char path[128];

	netns_path(path, sizeof(path), name);
	return !statfs(path, &st) && st.f_type == NSFS_MAGIC;
}

int netns_open(const char *name)
{
	char path[128];
	int fd;

	netns_path(path, sizeof(path), name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

uint64_t netns_inode(int fd)
{
	struct stat st;

	return fstat(fd, &st) ? 0 : st.st_ino;
}

uint64_t netns_cookie(int fd)
{
	uint64_t cookie = 0;

	return netns_call(fd, get_cookie, &cookie) ? 0 : cookie;
}

/* Files of /etc/netns/NAME over those of /etc; what /etc lacks is left out. */
static void bind_etc(const char *name)
{
	char dir[128], from[512], to[512];
	struct dirent *e;
	DIR *d;

	snprintf(dir, sizeof(dir), "%s/%s", NETNS_ETC, name);
	d = opendir(dir);
	if (!d)
		return;
	while ((e = readdir(d))) {
		if (e->d_name[0] == '.')
			continue;
		snprintf(from, sizeof(from), "%s/%s", dir, e->d_name);
		snprintf(to, sizeof(to), "/etc/%s", e->d_name);
		if (mount(from, to, "none", MS_BIND, NULL))
			fprintf(stderr, "fabctl: %s over %s: %s\n", from, to,
				strerror(errno));
	}
	closedir(d);
}

int netns_enter(const char *name)
{
	unsigned long flags = 0;
	struct statvfs st;
	int fd = netns_open(name), err;

	if (fd < 0)
		return fd;
	err = setns(fd, CLONE_NEWNET) ? -errno : 0;
	close(fd);
	if (err)
		return err;
	if (unshare(CLONE_NEWNS))
		return -errno;
	/* What is mounted in here must not show outside. */
	if (mount("", "/", "none", MS_SLAVE | MS_REC, NULL))
		return -errno;
	/* /sys/class/net is the reader's namespace's only in a fresh sysfs. */
	if (!statvfs("/sys", &st) && (st.f_flag & ST_RDONLY))
		flags |= MS_RDONLY;
	umount2("/sys", MNT_DETACH);
	if (mount(name, "/sys", "sysfs", flags, NULL))
		return -errno;
	bind_etc(name);
	return 0;
}

static uint64_t process_netns(int proc, const char *pid)
{
	char path[300];
	struct stat st;

	snprintf(path, sizeof(path), "%s/ns/net", pid);
	return fstatat(proc, path, &st, 0) ? 0 : st.st_ino;
}

static void process_comm(int proc, const char *pid, char *comm, size_t size)
{
	char path[300];
	ssize_t n = 0;
	int fd;

	snprintf(path, sizeof(path), "%s/comm", pid);
	fd = openat(proc, path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		n = read(fd, comm, size - 1);
		close(fd);
	}
	comm[n > 0 ? n : 0] = '\0';
	comm[strcspn(comm, "\n")] = '\0';
}

void netns_processes(void (*fn)(pid_t pid, const char *comm, uint64_t inode,
				void *arg), void *arg)
{
	DIR *d = opendir("/proc");
	struct dirent *e;
	uint64_t inode;
	char comm[32];

	if (!d)
		return;
	while ((e = readdir(d))) {
		if (e->d_name[0] < '1' || e->d_name[0] > '9')
			continue;
		inode = process_netns(dirfd(d), e->d_name);
		if (!inode)
			continue;
		process_comm(dirfd(d), e->d_name, comm, sizeof(comm));
		fn(atoi(e->d_name), comm, inode, arg);
	}
	closedir(d);
}
