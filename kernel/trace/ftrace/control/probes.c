// SPDX-License-Identifier: GPL-2.0
/*
 * Function probes: what the commands of the filter files attach.
 *
 * For each pair of trace array and kind of probe there is one ops, whose
 * filter are the functions that the probe is on, and one word of data that the
 * kind's init keeps what it wants in.  Which functions have data there is held
 * beside the filter: a module takes its functions out of that when it goes, and
 * the next change of the probe frees their data.
 *
 * probes_lock serialises changes; the list of a trace array also changes under
 * ftrace_lock only, since it is shown with that held.
 */
#define pr_fmt(fmt) "ftrace: " fmt

#include <linux/seq_file.h>
#include <linux/slab.h>

#include "control.h"

static DEFINE_MUTEX(probes_lock);

struct func_probe {
	struct list_head	list;
	struct ftrace_ops	ops;
	struct trace_array	*tr;
	struct ftrace_probe_ops	*kind;
	void			*data;
	struct ftrace_set	*held;
};

static void probe_call(unsigned long ip, unsigned long parent_ip,
		       struct ftrace_ops *op, struct ftrace_regs *fregs)
{
	struct func_probe *probe = op->private;

	preempt_disable_notrace();
	probe->kind->func(ip, parent_ip, probe->tr, probe->kind, probe->data);
	preempt_enable_notrace();
}

static struct func_probe *find_probe(struct trace_array *tr,
				     struct ftrace_probe_ops *kind)
{
	struct func_probe *probe;

	list_for_each_entry(probe, &tr->func_probes, list) {
		if (probe->kind == kind)
			return probe;
	}
	return NULL;
}

static struct func_probe *make_probe(struct trace_array *tr,
				     struct ftrace_probe_ops *kind)
{
	struct func_probe *probe = kzalloc(sizeof(*probe), GFP_KERNEL);

	if (!probe)
		return NULL;
	probe->tr = tr;
	probe->kind = kind;
	probe->ops.func = probe_call;
	probe->ops.private = probe;
	ftrace_ops_init(&probe->ops);
	return probe;
}

static int set_functions(struct func_probe *probe, struct ftrace_set *set)
{
	int ret;

	mutex_lock(&probe->ops.func_hash->regex_lock);
	ret = ftrace_ops_set_list(&probe->ops, FTRACE_LIST_FILTER, set);
	mutex_unlock(&probe->ops.func_hash->regex_lock);
	return ret;
}

static void free_data(struct func_probe *probe, const struct ftrace_set *set,
		      unsigned int nr)
{
	while (probe->kind->free && nr--)
		probe->kind->free(probe->kind, probe->tr, set->ip[nr],
				  probe->data);
}

/* Let the kind prepare for functions that are new; all or none. */
static int init_data(struct func_probe *probe, const struct ftrace_set *new,
		     void *data)
{
	unsigned int i;
	int ret;

	for (i = 0; probe->kind->init && i < new->nr; i++) {
		ret = probe->kind->init(probe->kind, probe->tr, new->ip[i], data,
					&probe->data);
		if (ret < 0) {
			free_data(probe, new, i);
			return ret;
		}
	}
	return 0;
}

/* Free the data of functions that went with their module. */
static int catch_up(struct func_probe *probe)
{
	struct ftrace_set *now;
	unsigned int i;

	now = ftrace_ops_copy_list(&probe->ops, FTRACE_LIST_FILTER);
	if (IS_ERR(now))
		return -ENOMEM;
	for (i = probe->held ? probe->held->nr : 0; i--;) {
		unsigned long ip = probe->held->ip[i];

		if (ftrace_set_has(now, ip))
			continue;
		if (probe->kind->free)
			probe->kind->free(probe->kind, probe->tr, ip,
					  probe->data);
		ftrace_set_del(probe->held, ip);
	}
	ftrace_set_free(now);
	return 0;
}

/* Nothing is left of a probe: its kind frees the data of the whole. */
static void free_probe(struct func_probe *probe)
{
	if (probe->kind->free && probe->data)
		probe->kind->free(probe->kind, probe->tr, 0, probe->data);
	ftrace_free_filter(&probe->ops);
	ftrace_set_free(probe->held);
	kfree(probe);
}

static struct ftrace_set *united(const struct ftrace_set *a,
				 const struct ftrace_set *b)
{
	struct ftrace_set *both = ftrace_set_copy(a);
	unsigned int i;

	for (i = 0; !IS_ERR(both) && i < b->nr; i++) {
		if (ftrace_set_add(&both, b->ip[i])) {
			ftrace_set_free(both);
			return ERR_PTR(-ENOMEM);
		}
	}
	return both;
}

static int attach_new(struct func_probe *probe, const struct ftrace_set *new)
{
	struct ftrace_set *all = united(probe->held, new);
	int ret;

	if (IS_ERR(all))
		return -ENOMEM;
	ret = set_functions(probe, all);
	if (ret) {
		ftrace_set_free(all);
		return ret;
	}
	if (!list_empty(&probe->list))
		return 0;

	ret = register_ftrace_function(&probe->ops);
	if (ret)
		return ret;
	mutex_lock(&ftrace_lock);
	list_add(&probe->list, &probe->tr->func_probes);
	mutex_unlock(&ftrace_lock);
	return 0;
}

static int init_and_attach(struct func_probe *probe,
			   const struct ftrace_set *new, void *data)
{
	struct ftrace_set *held = united(probe->held, new);
	int ret;

	if (IS_ERR(held))
		return -ENOMEM;
	ret = init_data(probe, new, data);
	if (!ret) {
		ret = attach_new(probe, new);
		if (ret)
			free_data(probe, new, new->nr);
	}
	if (!ret)
		swap(probe->held, held);
	ftrace_set_free(held);
	return ret;
}

static int add_functions(struct trace_array *tr, struct ftrace_probe_ops *kind,
			 struct ftrace_set *new, void *data)
{
	struct func_probe *probe = find_probe(tr, kind);
	bool fresh = !probe;
	unsigned int i;
	int ret;

	if (fresh) {
		probe = make_probe(tr, kind);
		if (!probe)
			return -ENOMEM;
		INIT_LIST_HEAD(&probe->list);
	}
	ret = catch_up(probe);
	for (i = new->nr; i--;) {
		if (ftrace_set_has(probe->held, new->ip[i]))
			ftrace_set_del(new, new->ip[i]);
	}
	if (!ret)
		ret = new->nr ? init_and_attach(probe, new, data) : -EINVAL;
	if (ret && fresh)
		free_probe(probe);
	return ret ?: new->nr;
}

/* The functions that a pattern names; NULL for none. */
static struct ftrace_set *matching(const char *glob, bool *negate)
{
	struct ftrace_set *set = NULL;
	struct ftrace_pattern pat;
	int ret;

	ret = ftrace_pattern_parse(&pat, glob, strlen(glob), NULL);
	if (ret)
		return ERR_PTR(ret);
	*negate = pat.negate;
	if (!pat.negate)
		ret = ftrace_set_apply_pattern(&set, &pat);
	ftrace_pattern_free(&pat);
	if (ret >= 0)
		return set;
	ftrace_set_free(set);
	return ERR_PTR(ret);
}

/**
 * register_ftrace_function_probe - put a probe on functions
 * @glob:      the functions
 * @tr:        the trace array
 * @probe_ops: the kind of probe
 * @data:      for its init
 *
 * Context: process, may sleep; event_mutex may be held.
 * Return: how many functions have it that had it not; -EINVAL where that is
 * none; what the kind's init returned; else as register_ftrace_function().
 */
int register_ftrace_function_probe(char *glob, struct trace_array *tr,
				   struct ftrace_probe_ops *probe_ops,
				   void *data)
{
	struct ftrace_set *set;
	bool negate;
	int ret;

	if (WARN_ON(!tr))
		return -EINVAL;
	set = matching(glob, &negate);
	if (IS_ERR(set))
		return PTR_ERR(set);
	if (!set)
		return -EINVAL;

	mutex_lock(&probes_lock);
	ret = add_functions(tr, probe_ops, set, data);
	mutex_unlock(&probes_lock);
	ftrace_set_free(set);
	return ret;
}

static bool names_all(const char *glob)
{
	return !glob || !*glob || !strcmp(glob, "*");
}

/* Of the functions that a probe is on, those that a pattern names. */
static struct ftrace_set *to_remove(struct func_probe *probe, const char *glob)
{
	struct ftrace_set *set;
	unsigned int i;
	bool negate;

	if (names_all(glob))
		return ftrace_set_copy(probe->held);
	set = matching(glob, &negate);
	if (IS_ERR_OR_NULL(set))
		return set;
	for (i = set->nr; i--;) {
		if (!ftrace_set_has(probe->held, set->ip[i]))
			ftrace_set_del(set, set->ip[i]);
	}
	return set;
}

static void detach_all(struct func_probe *probe)
{
	unregister_ftrace_function(&probe->ops);
	mutex_lock(&ftrace_lock);
	list_del_init(&probe->list);
	mutex_unlock(&ftrace_lock);
}

static int detach_some(struct func_probe *probe, const struct ftrace_set *gone)
{
	struct ftrace_set *rest = ftrace_set_copy(probe->held);
	unsigned int i;
	int ret;

	if (IS_ERR(rest))
		return -ENOMEM;
	for (i = 0; i < gone->nr; i++)
		ftrace_set_del(rest, gone->ip[i]);
	ret = set_functions(probe, rest);
	if (ret) {
		ftrace_set_free(rest);
		return ret;
	}
	for (i = 0; i < gone->nr; i++)
		ftrace_set_del(probe->held, gone->ip[i]);
	ftrace_quiesce();
	return 0;
}

static int remove_functions(struct func_probe *probe, const char *glob)
{
	struct ftrace_set *gone;
	bool all;
	int ret;

	ret = catch_up(probe);
	if (ret)
		return ret;
	gone = to_remove(probe, glob);
	if (IS_ERR(gone))
		return PTR_ERR(gone);
	/* "All" may be none, where the functions went with their module. */
	if (!gone || (!gone->nr && !names_all(glob))) {
		ftrace_set_free(gone);
		return -EINVAL;
	}
	all = gone->nr == probe->held->nr;
	if (all)
		detach_all(probe);
	else
		ret = detach_some(probe, gone);
	if (!ret)
		free_data(probe, gone, gone->nr);
	if (all)
		free_probe(probe);
	ftrace_set_free(gone);
	return ret;
}

/**
 * unregister_ftrace_function_probe_func - take a probe off functions
 * @glob:      the functions; NULL, "" and "*": all
 * @tr:        the trace array
 * @probe_ops: the kind of probe
 *
 * Context: process, may sleep; event_mutex may be held.
 * Return: 0; -ENODEV where there is no such probe; -EINVAL where it is on none
 * of the functions; -ENOMEM.
 */
int unregister_ftrace_function_probe_func(char *glob, struct trace_array *tr,
					  struct ftrace_probe_ops *probe_ops)
{
	struct func_probe *probe;
	int ret = -ENODEV;

	mutex_lock(&probes_lock);
	probe = find_probe(tr, probe_ops);
	if (probe)
		ret = remove_functions(probe, glob);
	mutex_unlock(&probes_lock);
	return ret;
}

/**
 * clear_ftrace_function_probes - take all probes of a trace array away
 * @tr: the trace array
 *
 * Context: process, may sleep.
 */
void clear_ftrace_function_probes(struct trace_array *tr)
{
	struct func_probe *probe, *next;

	mutex_lock(&probes_lock);
	list_for_each_entry_safe(probe, next, &tr->func_probes, list) {
		detach_all(probe);
		free_data(probe, probe->held, probe->held->nr);
		free_probe(probe);
	}
	mutex_unlock(&probes_lock);
}

static void show_probe(struct seq_file *m, struct func_probe *probe)
{
	struct ftrace_set *set = ftrace_ops_list(&probe->ops,
						 FTRACE_LIST_FILTER);
	unsigned int i;

	for (i = 0; set && i < set->nr; i++) {
		if (probe->kind->print)
			probe->kind->print(m, set->ip[i], probe->kind,
					   probe->data);
		else
			seq_printf(m, "%ps:%ps\n", (void *)set->ip[i],
				   probe->kind->func);
	}
}

/**
 * ftrace_show_probes - list the probes of a trace array, one function a line
 * @m:  where to
 * @tr: the trace array
 *
 * Context: ftrace_lock is held.
 */
void ftrace_show_probes(struct seq_file *m, struct trace_array *tr)
{
	struct func_probe *probe;

	list_for_each_entry(probe, &tr->func_probes, list)
		show_probe(m, probe);
}
