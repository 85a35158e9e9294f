// SPDX-License-Identifier: GPL-2.0
/*
 * A map from sites' addresses to a word of data each, for probes: looked up on
 * the hit path, changed by the probes' owners, which serialise that.
 */
#include <linux/hashtable.h>
#include <linux/rculist.h>
#include <linux/slab.h>

#include "control.h"

#define MAPPER_BITS	10

struct ftrace_func_mapper {
	DECLARE_HASHTABLE(table, MAPPER_BITS);
};

struct map_entry {
	struct hlist_node	node;
	struct rcu_head		rcu;
	unsigned long		ip;
	void			*data;
};

static struct map_entry *find_entry(struct ftrace_func_mapper *mapper,
				    unsigned long ip)
{
	struct map_entry *entry;

	hash_for_each_possible_rcu_notrace(mapper->table, entry, node, ip) {
		if (entry->ip == ip)
			return entry;
	}
	return NULL;
}

/**
 * allocate_ftrace_func_mapper - make a map
 *
 * Context: process, may sleep.
 * Return: the map, or NULL.
 */
struct ftrace_func_mapper *allocate_ftrace_func_mapper(void)
{
	return kzalloc(sizeof(struct ftrace_func_mapper), GFP_KERNEL);
}

/**
 * ftrace_func_mapper_find_ip - where the data of an address is
 * @mapper: the map
 * @ip:     the address
 *
 * Context: any, with preemption off.
 * Return: the place of the data, which the caller may change; NULL where the
 * address is not in the map.
 */
void **ftrace_func_mapper_find_ip(struct ftrace_func_mapper *mapper,
				  unsigned long ip)
{
	struct map_entry *entry = find_entry(mapper, ip);

	return entry ? &entry->data : NULL;
}

/**
 * ftrace_func_mapper_add_ip - add an address
 * @mapper: the map
 * @ip:     the address
 * @data:   its data
 *
 * Context: process, may sleep.
 * Return: 0; -EBUSY where it is there already; -ENOMEM.
 */
int ftrace_func_mapper_add_ip(struct ftrace_func_mapper *mapper,
			      unsigned long ip, void *data)
{
	struct map_entry *entry;

	if (find_entry(mapper, ip))
		return -EBUSY;
	entry = kmalloc(sizeof(*entry), GFP_KERNEL);
	if (!entry)
		return -ENOMEM;
	entry->ip = ip;
	entry->data = data;
	hash_add_rcu(mapper->table, &entry->node, ip);
	return 0;
}

/**
 * ftrace_func_mapper_remove_ip - remove an address
 * @mapper: the map
 * @ip:     the address
 *
 * Return: its data; NULL where it was not there.
 */
void *ftrace_func_mapper_remove_ip(struct ftrace_func_mapper *mapper,
				   unsigned long ip)
{
	struct map_entry *entry = find_entry(mapper, ip);
	void *data;

	if (!entry)
		return NULL;
	data = entry->data;
	hash_del_rcu(&entry->node);
	kfree_rcu(entry, rcu);
	return data;
}

/**
 * free_ftrace_func_mapper - free a map that nobody looks into any more
 * @mapper:    the map, or NULL
 * @free_func: called with the data of each address; or NULL
 */
void free_ftrace_func_mapper(struct ftrace_func_mapper *mapper,
			     ftrace_mapper_func free_func)
{
	struct map_entry *entry;
	struct hlist_node *next;
	unsigned int bucket;

	if (!mapper)
		return;
	hash_for_each_safe(mapper->table, bucket, next, entry, node) {
		if (free_func)
			free_func(entry->data);
		kfree(entry);
	}
	kfree(mapper);
}
