// SPDX-License-Identifier: GPL-2.0
/* A thousand functions to hook; and what it costs to load them is a row itself. */
#include <linux/module.h>

#include "hooks_bench_many.h"

BENCH_THOUSAND(BENCH_FUNCTION, 0)

void (*const bench_functions_1000[1000])(void) = {
	BENCH_THOUSAND(BENCH_ADDRESS, 0)
};
EXPORT_SYMBOL_GPL(bench_functions_1000);

static int __init hooks_bench_load_init(void)
{
	return 0;
}
module_init(hooks_bench_load_init);

static void __exit hooks_bench_load_exit(void)
{
}
module_exit(hooks_bench_load_exit);

MODULE_DESCRIPTION("A thousand functions to hook");
MODULE_LICENSE("GPL");
