/* SPDX-License-Identifier: GPL-2.0 */
/* What the test modules share: what does not hold is counted, and told. */
#ifndef _HOOKS_CHECK_H
#define _HOOKS_CHECK_H

#include <linux/atomic.h>
#include <linux/printk.h>

static atomic_t faults = ATOMIC_INIT(0);

/* Not from handlers of breakpoints, if it can be helped: it prints. */
#define check(cond) ({							\
	bool holds = (cond);						\
									\
	if (!holds && atomic_inc_return(&faults) <= 20)			\
		pr_err("WRONG: line %d: %s\n", __LINE__, #cond);	\
	holds;								\
})

#define check_eq(a, b) ({						\
	long left = (a), right = (b);					\
									\
	if (left != right && atomic_inc_return(&faults) <= 20)		\
		pr_err("WRONG: line %d: %s is %ld, not %ld\n", __LINE__, \
		       #a, left, right);				\
	left == right;							\
})

/* What init returns when all is done. */
static inline int verdict(void)
{
	pr_info("%d faults\n", atomic_read(&faults));
	return atomic_read(&faults) ? -ERANGE : 0;
}

#endif /* _HOOKS_CHECK_H */
