// SPDX-License-Identifier: GPL-2.0
/* Functions for the tests to hook. */
#include "kunit_target.h"

noinline int ftrace_kunit_one(int x)
{
	OPTIMIZER_HIDE_VAR(x);
	return x + 1;
}

noinline int ftrace_kunit_two(int x)
{
	OPTIMIZER_HIDE_VAR(x);
	return x + 2;
}

noinline int ftrace_kunit_three(int x)
{
	OPTIMIZER_HIDE_VAR(x);
	return x + 3;
}

noinline int ftrace_kunit_other(int x)
{
	OPTIMIZER_HIDE_VAR(x);
	return x + 4;
}

noinline int ftrace_kunit_caller(int x)
{
	int ret = ftrace_kunit_one(x);

	/* Not a tail call: it is to stand in stack traces. */
	OPTIMIZER_HIDE_VAR(ret);
	return ret + 1;
}
