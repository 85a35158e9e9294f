// SPDX-License-Identifier: GPL-2.0
/*
 * Commands that the filter files take: "function:command:parameter".
 *
 * Handlers take locks of their own, event_mutex among them: they are called
 * with the lock of the list of commands held and nothing else.
 */
#define pr_fmt(fmt) "ftrace: " fmt

#include "control.h"

static LIST_HEAD(commands);
static DEFINE_MUTEX(commands_lock);

static struct ftrace_func_command *find_command(const char *name)
{
	struct ftrace_func_command *cmd;

	list_for_each_entry(cmd, &commands, list) {
		if (!strcmp(cmd->name, name))
			return cmd;
	}
	return NULL;
}

/**
 * register_ftrace_command - let the filter files take a command
 * @cmd: the command
 *
 * Context: boot.
 * Return: 0, or -EBUSY where there is one of that name.
 */
__init int register_ftrace_command(struct ftrace_func_command *cmd)
{
	int ret = -EBUSY;

	mutex_lock(&commands_lock);
	if (!find_command(cmd->name)) {
		list_add(&cmd->list, &commands);
		ret = 0;
	}
	mutex_unlock(&commands_lock);
	return ret;
}

/**
 * unregister_ftrace_command - take a command away
 * @cmd: has the name
 *
 * Context: boot.
 * Return: 0, or -ENODEV where there is none of that name.
 */
__init int unregister_ftrace_command(struct ftrace_func_command *cmd)
{
	struct ftrace_func_command *found;

	mutex_lock(&commands_lock);
	found = find_command(cmd->name);
	if (found)
		list_del_init(&found->list);
	mutex_unlock(&commands_lock);
	return found ? 0 : -ENODEV;
}

/**
 * ftrace_run_command - carry a command out
 * @tr:      the trace array of the file; NULL where it has none
 * @func:    the functions, with '!' in front to undo
 * @command: the command's name
 * @param:   its parameter, or NULL
 * @enable:  1 from set_ftrace_filter, 0 from set_ftrace_notrace
 *
 * Context: process, may sleep.
 * Return: 0; -EINVAL for an unknown command; what the handler returned.
 */
int ftrace_run_command(struct trace_array *tr, char *func, char *command,
		       char *param, int enable)
{
	struct ftrace_func_command *cmd;
	int ret = -EINVAL;

	mutex_lock(&commands_lock);
	cmd = find_command(command);
	if (cmd)
		ret = cmd->func(tr, NULL, func, command, param, enable);
	mutex_unlock(&commands_lock);
	return ret < 0 ? ret : 0;
}
