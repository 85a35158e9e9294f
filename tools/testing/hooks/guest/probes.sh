#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# guests: 1 4
# options: KPROBES
# timeout: 280
# K2, K4, K5, K6, K7, issue 4 point 4: probes on every instruction of functions,
# in turn and hundreds at once, while work exercises them.
. /tools/testing/hooks/guest/functions
switch=/proc/sys/debug/kprobes-optimization

# Jumps come and go meanwhile.
turn_switch() {
	while :; do
		echo 0 >$switch
		sleep 0.2
		echo 1 >$switch
		sleep 0.4
	done
}

# Files, memory, processes, pipes, timers.
work() {
	while :; do
		dd if=/dev/zero of=/tmp/work.$1 bs=4k count=64
		cat /proc/self/maps /proc/meminfo /tmp/work.$1 | wc -c
		find /proc/sys/kernel /sys/kernel -maxdepth 1
		usleep 1000
		rm -f /tmp/work.$1
	done >/dev/null 2>&1
}

load hooks_probes seconds=15 && unload hooks_probes

turn_switch &
busy=$!
load hooks_probes seconds=15 && unload hooks_probes
for i in 1 2; do
	work $i &
	busy="$busy $!"
done
load hooks_probes functions=vfs_read,ksys_read,\
__schedule,try_to_wake_up,enqueue_task_fair,\
pick_next_task_fair,update_curr,__switch_to,\
kmem_cache_alloc_noprof,kfree,get_page_from_freelist,\
_copy_from_user,_copy_to_user,rep_movs_alternative,\
strncpy_from_user,copy_page_to_iter,\
hrtimer_interrupt,__hrtimer_run_queues,tick_nohz_handler,run_timer_softirq,\
handle_softirqs,irq_enter_rcu,irq_exit_rcu,update_process_times,\
sched_tick,rcu_sched_clock_irq,rcu_core,__rcu_read_lock,\
ktime_get,_raw_spin_lock,_raw_spin_unlock_irqrestore,mutex_lock,\
handle_mm_fault,copy_process,do_exit,link_path_walk,dput,pipe_write,\
rb_insert_color,flush_tlb_mm_range,switch_mm_irqs_off,\
__flush_smp_call_function_queue,process_one_work &&
	unload hooks_probes
# Whom they started they wait for themselves.
kill $busy
wait
echo 1 >$switch
check "no probe is left" "$(wc -l </sys/kernel/debug/kprobes/list)" -eq 0
messages hooks_probes
verdict
