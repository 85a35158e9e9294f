/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Instructions to probe, one of each kind.
 *
 * Each is in a function of its own, that insn_kunit_run() jumps to with all
 * registers set, and that leaves for insn_kunit_done().  By then r14 and r15 tell
 * which way it took.
 */
#include <linux/linkage.h>
#include <linux/objtool.h>

#include <asm/asm-offsets.h>
#include <asm/cpufeatures.h>
#include <asm/errno.h>
#include <asm/nospec-branch.h>
#include <asm/percpu.h>
#include <asm/ptrace-abi.h>
#include <asm/segment.h>

#include "insn_kunit.h"

	.section .rodata, "a"
	.balign	8
SYM_DATA_START(insn_kunit_first)

	.text

	.macro BEGIN name:req
SYM_FUNC_START_LOCAL(insn_\name)
	.endm

	/* The next instruction is it. */
	.macro PROBE
771:	ANNOTATE_NOENDBR
	.endm

	/* A jump in the instruction's place reaches no further than the nop. */
	.macro END name:req, kind:req, feature=0
	.byte	0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0
	jmp	insn_kunit_done
SYM_FUNC_END(insn_\name)
	STACK_FRAME_NON_STANDARD insn_\name
	.pushsection .rodata, "a"
	.quad	insn_\name, 771b, \kind, \feature
	.popsection
	.endm

	.macro COPIED name:req, insn:req, before=, after=, kind=INSN_COPIED, feature=0
	BEGIN	\name
	\before
	PROBE
	\insn
	\after
	END	\name, \kind, \feature
	.endm

	.macro EMULATED name:req, insn:req, before=, after=
	COPIED	\name, "\insn", "\before", "\after", INSN_EMULATED
	.endm

	.macro REFUSED name:req, errno:req, bytes:vararg
	BEGIN	\name
	PROBE
	.byte	\bytes
	END	\name, \errno
	.endm

	/* The same of an indirect branch or a return. */
	.macro REFUSED_BRANCH name:req, errno:req, bytes:vararg
	BEGIN	\name
	ANNOTATE_RETPOLINE_SAFE
	PROBE
	.byte	\bytes
	END	\name, \errno
	.endm

	/* What the assembler knows inside of strings. */
	.set	copied, INSN_COPIED
	.set	followed, INSN_FOLLOWED
	.set	memory, insn_kunit_memory
	.set	kernel_ds, __KERNEL_DS
	.set	middle, insn_kunit_vector + 8 * INSN_VECTOR / 2

/* ---- The way there and back ------------------------------------------- */

SYM_FUNC_START(insn_kunit_run)
	push	%rbp
	push	%rbx
	push	%r12
	push	%r13
	push	%r14
	push	%r15
	pushf
	mov	%rsp, kunit_sp(%rip)
	mov	%rdi, kunit_start(%rip)
	mov	insn_kunit_regs+RSP(%rip), %rsp
	push	insn_kunit_regs+EFLAGS(%rip)
	popf
	mov	insn_kunit_regs+R15(%rip), %r15
	mov	insn_kunit_regs+R14(%rip), %r14
	mov	insn_kunit_regs+R13(%rip), %r13
	mov	insn_kunit_regs+R12(%rip), %r12
	mov	insn_kunit_regs+R11(%rip), %r11
	mov	insn_kunit_regs+R10(%rip), %r10
	mov	insn_kunit_regs+R9(%rip), %r9
	mov	insn_kunit_regs+R8(%rip), %r8
	mov	insn_kunit_regs+RBP(%rip), %rbp
	mov	insn_kunit_regs+RBX(%rip), %rbx
	mov	insn_kunit_regs+RAX(%rip), %rax
	mov	insn_kunit_regs+RCX(%rip), %rcx
	mov	insn_kunit_regs+RDX(%rip), %rdx
	mov	insn_kunit_regs+RSI(%rip), %rsi
	mov	insn_kunit_regs+RDI(%rip), %rdi
	ANNOTATE_RETPOLINE_SAFE
	jmp	*kunit_start(%rip)

SYM_INNER_LABEL(insn_kunit_done, SYM_L_GLOBAL)
	ENDBR
	mov	%r15, insn_kunit_regs+R15(%rip)
	mov	%r14, insn_kunit_regs+R14(%rip)
	mov	%r13, insn_kunit_regs+R13(%rip)
	mov	%r12, insn_kunit_regs+R12(%rip)
	mov	%r11, insn_kunit_regs+R11(%rip)
	mov	%r10, insn_kunit_regs+R10(%rip)
	mov	%r9, insn_kunit_regs+R9(%rip)
	mov	%r8, insn_kunit_regs+R8(%rip)
	mov	%rbp, insn_kunit_regs+RBP(%rip)
	mov	%rbx, insn_kunit_regs+RBX(%rip)
	mov	%rax, insn_kunit_regs+RAX(%rip)
	mov	%rcx, insn_kunit_regs+RCX(%rip)
	mov	%rdx, insn_kunit_regs+RDX(%rip)
	mov	%rsi, insn_kunit_regs+RSI(%rip)
	mov	%rdi, insn_kunit_regs+RDI(%rip)
	mov	%rsp, insn_kunit_regs+RSP(%rip)
	pushf
	pop	insn_kunit_regs+EFLAGS(%rip)
	mov	kunit_sp(%rip), %rsp
	popf
	pop	%r15
	pop	%r14
	pop	%r13
	pop	%r12
	pop	%rbx
	pop	%rbp
	RET
SYM_FUNC_END(insn_kunit_run)
STACK_FRAME_NON_STANDARD insn_kunit_run


	.pushsection .data
SYM_DATA_LOCAL(kunit_sp, .quad 0)
SYM_DATA_LOCAL(kunit_start, .quad 0)
	.popsection

	/* What is called: says where it was to return to, and its number. */
	.macro CALLED number:req
	mov	(%rsp), %r14
	lea	\number(%r15), %r15
	RET
	.endm

	/* … and which flags it found. */
	.macro CALLEE number:req
	ENDBR
	pushf
	pop	flags_found(%rip)
	CALLED	\number
	.endm

	/* Calls and returns may be counted, which leaves flags that say nothing. */
	.set	flags_found, memory + 8 * (INSN_MEMORY - 1)

	.macro SET_FLAGS
	test	%rsp, %rsp
	.endm

SYM_FUNC_START_LOCAL(insn_kunit_callee)
	CALLEE	100
SYM_FUNC_END(insn_kunit_callee)
STACK_FRAME_NON_STANDARD insn_kunit_callee

SYM_FUNC_START_LOCAL(insn_kunit_called)
	CALLED	100
SYM_FUNC_END(insn_kunit_called)
STACK_FRAME_NON_STANDARD insn_kunit_called

	/* The same through a vector of pointers: a wrong one is told by its number. */
	.pushsection .rodata.insn_kunit_vector, "a"
	.balign	8
SYM_DATA_START_LOCAL(insn_kunit_vector)
	.popsection

	.set	number, 0
SYM_FUNC_START_LOCAL(insn_kunit_callees)
	.rept	INSN_VECTOR
	.set	number, number + 1
771:	ANNOTATE_NOENDBR
	CALLEE	number
	.pushsection .rodata.insn_kunit_vector, "a"
	.quad	771b
	.popsection
	.endr
SYM_FUNC_END(insn_kunit_callees)
STACK_FRAME_NON_STANDARD insn_kunit_callees

	.pushsection .rodata.insn_kunit_vector, "a"
SYM_DATA_END(insn_kunit_vector)
	.popsection

/* ---- Direct branches -------------------------------------------------- */

	.macro FORWARD name:req, insn:req
	EMULATED \name, "\insn 1f", after="lea 1(%r15), %r15; 1:"
	.endm

	.macro BACKWARD name:req, insn:req
	EMULATED \name, "\insn 1b", before="jmp 2f; 1: lea 2(%r15), %r15; jmp 3f; 2:", \
		after="lea 1(%r15), %r15; 3:"
	.endm

	.irp	cc, o, no, b, ae, e, ne, be, a, s, ns, p, np, l, ge, le, g
	FORWARD	short_j\cc, "{disp8} j\cc"
	FORWARD	near_j\cc, "{disp32} j\cc"
	.endr
	BACKWARD jne_short_back, "{disp8} jne"
	BACKWARD jne_near_back, "{disp32} jne"
	FORWARD	jmp_short, "{disp8} jmp"
	FORWARD	jmp_near, "{disp32} jmp"
	BACKWARD jmp_short_back, "{disp8} jmp"
	BACKWARD jmp_near_back, "{disp32} jmp"
	FORWARD	cs_jmp, ".byte 0x2e; {disp32} jmp"
	FORWARD	cs_jne, ".byte 0x2e; {disp32} jne"
	FORWARD	bnd_jmp, ".byte 0xf2; {disp32} jmp"

	.macro LOOPS insn:req, name:req
	.irp	count, 0, 1, 2, 0x500000000, 0x500000001
	EMULATED \name\count, "\insn 1f", before="mov $\count, %rcx", \
		after="lea 1(%r15), %r15; 1:"
	.endr
	.endm

	LOOPS	loop, loop_
	LOOPS	loope, loope_
	LOOPS	loopne, loopne_
	LOOPS	jrcxz, jrcxz_
	LOOPS	"addr32 loop", loop_addr32_
	LOOPS	"addr32 loope", loope_addr32_
	LOOPS	"addr32 loopne", loopne_addr32_
	LOOPS	jecxz, jecxz_
	BACKWARD loop_back, "loop"

/* ---- Calls and returns ------------------------------------------------ */

	EMULATED call, "call insn_kunit_called", after=SET_FLAGS
	/* Of other lengths; not to a function, whose calls may be patched. */
	.irp	prefix, 0x2e, 0x3e, 0xf2
	EMULATED call_\prefix, ".byte \prefix; call 1f", \
		after="lea 1(%r15), %r15; 1: mov (%rsp), %r14"
	.endr
	EMULATED call_back, "call 1b", before="jmp 2f; 1: pop %r14; jmp 3f; 2:", \
		after="lea 1(%r15), %r15; 3:"
	EMULATED call_next, "call 1f; 1:", after="pop %r14"

	.macro RETURN name:req, insn:req
	BEGIN	\name
	pushq	$0x1234
	pushq	$1f
	ANNOTATE_UNRET_SAFE
	PROBE
	\insn
	int3
1:	lea	1(%r15), %r15
	END	\name, INSN_EMULATED
	.endm

	RETURN	ret, "ret"
	RETURN	ret_0, "ret $0"
	RETURN	ret_8, "ret $8"
	RETURN	ret_rep, "rep; ret"
	RETURN	ret_bnd, ".byte 0xf2; ret"

	.macro CALL_INDIRECT name:req, operand:req, before=, prefix=
	BEGIN	call_\name
	\before
	ANNOTATE_RETPOLINE_SAFE
	PROBE
	\prefix	call *\operand
	SET_FLAGS
	END	call_\name, INSN_EMULATED
	.endm

	.macro JMP_INDIRECT name:req, operand:req, before=, prefix=
	BEGIN	jmp_\name
	\before
	pushq	$1f
	ANNOTATE_RETPOLINE_SAFE
	PROBE
	\prefix	jmp *\operand
1:	lea	1(%r14), %r14
	SET_FLAGS
	END	jmp_\name, INSN_EMULATED
	.endm

	.macro INDIRECT name:req, operand:req, before=, prefix=
	CALL_INDIRECT \name, "\operand", "\before", "\prefix"
	JMP_INDIRECT \name, "\operand", "\before", "\prefix"
	.endm

	.irp	reg, rax, rcx, rdx, rbx, rbp, rsi, rdi, r8, r9, r10, r11, r12, r13, r14, r15
	/* The number of the callee is added to r15. */
	INDIRECT \reg, "%\reg", "lea insn_kunit_callee(%rip), %\reg"
	INDIRECT 0_\reg, "(%\reg)", "lea middle(%rip), %\reg"
	INDIRECT 8_\reg, "8(%\reg)", "lea middle(%rip), %\reg"
	INDIRECT back_\reg, "-16(%\reg)", "lea middle(%rip), %\reg"
	INDIRECT disp32_\reg, "24(%\reg)", "lea middle(%rip), %\reg", "{disp32}"
	INDIRECT far_\reg, "0x1000(%\reg)", "lea middle-0x1020(%rip), %\reg"
	/* \reg as the index: negative, too. */
	INDIRECT index_\reg, "middle(, %\reg, 8)", "mov $-3, %\reg"
	.endr
	INDIRECT abs, "middle+8"
	INDIRECT rip, "middle+16(%rip)"
	INDIRECT memory, "memory+8(%rip)", \
		"lea insn_kunit_callee(%rip), %rax; mov %rax, memory+8(%rip)"
	INDIRECT bnd, "%rax", "lea insn_kunit_callee(%rip), %rax", ".byte 0xf2;"
	INDIRECT cs, "8(%rax)", "lea middle(%rip), %rax", ".byte 0x2e;"
	INDIRECT rex, "8(%rax)", "lea middle(%rip), %rax", ".byte 0x48;"

	.macro INDEXED base:req
	.irp	scale, 1, 2, 4, 8
	INDIRECT \base\()_rcx_\scale, "(%\base, %rcx, \scale)", \
		"lea middle(%rip), %\base; mov $16 / \scale, %ecx"
	INDIRECT \base\()_r9_\scale, "-8(%\base, %r9, \scale)", \
		"lea middle(%rip), %\base; mov $-16 / \scale, %r9"
	.endr
	INDIRECT \base\()_rdx_far, "0x100(%\base, %rdx, 4)", \
		"lea middle-0x100(%rip), %\base; mov $4, %edx"
	.endm

	.irp	base, rax, rbx, rbp, rsi, r8, r12, r13, r15
	INDEXED	\base
	.endr
	/* r12 may be an index, unlike rsp. */
	INDIRECT rax_r12_8, "(%rax, %r12, 8)", "lea middle(%rip), %rax; mov $2, %r12d"

	CALL_INDIRECT rsp_0, "(%rsp)", "push middle(%rip)"
	INDIRECT rsp_8, "8(%rsp)", "push middle+8(%rip); push middle(%rip)"
	INDIRECT rsp_disp32, "8(%rsp)", "push middle+8(%rip); push middle(%rip)", "{disp32}"
	INDIRECT rsp_index, "(%rsp, %rcx, 8)", \
		"push middle+8(%rip); push middle(%rip); mov $1, %ecx"

/* ---- Flags ------------------------------------------------------------ */

	.irp	insn, cli, sti
	EMULATED pushf_\insn, "pushf", before="\insn"
	EMULATED cli_\insn, "cli", before="\insn"
	EMULATED sti_\insn, "sti", before="\insn"
	/* All but single-stepping; nothing; what is usual. */
	EMULATED popf_all_\insn, "popf", before="\insn; push $-0x101"
	EMULATED popf_0_\insn, "popf", before="\insn; push $0"
	EMULATED popf_off_\insn, "popf", before="\insn; push $0x46"
	EMULATED popf_on_\insn, "popf", before="\insn; push $0x293"
	EMULATED popf_df_\insn, "popf", before="\insn; push $0x600"
	.endr
	EMULATED pushf_df, "pushf", before="std"
	EMULATED pushf_ac, "pushf", before="pushf; orl $0x40000, (%rsp); popf"

	.irp	insn, clc, stc, cmc, cld, std, lahf, sahf, stac, clac
	COPIED	\insn, "\insn"
	.endr
	.irp	cc, o, no, b, ae, e, ne, be, a, s, ns, p, np, l, ge, le, g
	COPIED	set\cc, "set\cc %al"
	COPIED	cmov\cc, "cmov\cc %rbx, %rax"
	.endr
	COPIED	setcc_memory, "setne memory+3(%rip)"
	COPIED	cmov_memory, "cmovne memory(%rip), %r9"

/* ---- The stack -------------------------------------------------------- */

	.irp	reg, rax, rcx, rdx, rbx, rsp, rbp, rsi, rdi, r8, r9, r10, r11, r12, r13, r14, r15
	COPIED	push_\reg, "push %\reg"
	.endr
	.irp	reg, rax, rcx, rdx, rbx, rbp, rsi, rdi, r8, r9, r10, r11, r12, r13, r14, r15
	COPIED	pop_\reg, "pop %\reg"
	.endr
	COPIED	push_imm8, "push $-5"
	COPIED	push_imm32, "push $0x12345678"
	COPIED	push_memory, "push (%rbx)"
	COPIED	push_rip, "push memory+16(%rip)"
	COPIED	push_on_stack, "push 8(%rsp)"
	COPIED	push_rsp_memory, "push (%rsp)"
	COPIED	push_16, "pushw %ax", after="pushw %cx", kind=followed
	COPIED	push_fs, "push %fs"
	COPIED	push_gs, "push %gs"
	/* Words that are new on the stack have what traps left there. */
	COPIED	pop_rsp, "pop %rsp", before="lea -16(%rsp), %rax; push %rax", \
		after="movq $0, (%rsp); movq $0, 8(%rsp)"
	COPIED	pop_memory, "pop (%rbx)"
	COPIED	pop_rip, "pop memory+24(%rip)"
	COPIED	pop_on_stack, "pop 8(%rsp)"
	COPIED	pop_16, "popw %ax", after="popw %cx", kind=followed
	COPIED	pop_fs, "pop %fs", before="push $0"
	COPIED	enter, "enter $16, $0", after="movq $0, (%rsp); movq $0, 8(%rsp)"
	COPIED	enter_nested, "enter $8, $1", after="movq $0, (%rsp)"
	COPIED	leave, "leave", before="lea 8(%rsp), %rbp"
	COPIED	mov_to_rsp, "mov %rax, %rsp", before="lea -8(%rsp), %rax", after="movq $0, (%rsp)"
	COPIED	mov_from_rsp, "mov %rsp, %rax"
	COPIED	lea_rsp, "lea 8(%rsp), %rsp"
	COPIED	sub_rsp, "sub $24, %rsp", \
		after="movq $0, (%rsp); movq $0, 8(%rsp); movq $0, 16(%rsp)"
	COPIED	xchg_rsp, "xchg %rsp, %rax", before="lea -16(%rsp), %rax", \
		after="movq $0, (%rsp); movq $0, 8(%rsp)"
	COPIED	mov_on_stack, "mov %rdx, 16(%rsp)"
	/* Several under one jump, the last of them relative. */
	COPIED	push_pop, "push %rax", after="pop %rdx; lea memory(%rip), %rsi", kind=followed

/* ---- Arithmetic and moves --------------------------------------------- */

	.macro LOGIC insn:req
	COPIED	reg_\insn, "\insn %rbx, %rax"
	COPIED	byte_\insn, "\insn $0x7f, %al"
	COPIED	imm8_\insn, "\insn $-3, %rcx"
	COPIED	imm32_\insn, "\insn $0x12345678, %eax"
	COPIED	load_\insn, "\insn 8(%rbx), %rdx"
	COPIED	store_\insn, "\insn %edx, 8(%rbx)"
	COPIED	rip_load_\insn, "\insn memory(%rip), %r11"
	COPIED	rip_store_\insn, "\insn %rdx, memory(%rip)"
	COPIED	rip_imm8_\insn, "\insn\()q $3, memory(%rip)"
	COPIED	rip_imm16_\insn, "\insn\()w $0x345, memory+2(%rip)"
	COPIED	rip_imm32_\insn, "\insn\()q $0x3456789, memory(%rip)"
	.endm

	.irp	insn, add, or, adc, sbb, and, sub, xor, cmp
	LOGIC \insn
	.endr
	.macro UNARY insn:req
	COPIED	reg_\insn, "\insn %rax"
	COPIED	byte_\insn, "\insn %cl"
	COPIED	rip_\insn, "\insn\()l memory+4(%rip)"
	COPIED	rip_byte_\insn, "\insn\()b memory+4(%rip)"
	.endm

	.irp	insn, inc, dec, not, neg
	UNARY \insn
	.endr
	.macro SHIFT insn:req
	COPIED	1_\insn, "\insn %rax"
	COPIED	imm_\insn, "\insn $5, %rax"
	COPIED	cl_\insn, "\insn %cl, %rax"
	COPIED	rip_\insn, "\insn\()l $3, memory+4(%rip)"
	.endm

	.irp	insn, rol, ror, rcl, rcr, shl, shr, sar
	SHIFT \insn
	.endr
	COPIED	shld, "shld $5, %rax, %rdx"
	COPIED	shrd, "shrd $5, %rax, %rdx"
	COPIED	mul, "mul %rbx"
	COPIED	imul_2, "imul %rbx, %rax"
	COPIED	imul_rip, "imul $0x1234567, memory(%rip), %rdx"
	COPIED	div, "div %rcx", before="mov $1, %edx"
	COPIED	idiv, "idiv %ecx", before="mov $0, %edx; mov $77, %eax"
	.macro BIT insn:req
	COPIED	reg_\insn, "\insn %rcx, %rax"
	COPIED	rip_\insn, "\insn\()l $7, memory(%rip)"
	COPIED	rip_reg_\insn, "\insn %rcx, memory(%rip)"
	.endm

	.irp	insn, bt, bts, btr, btc
	BIT \insn
	.endr
	.irp	insn, bsf, bsr, popcnt
	COPIED	\insn, "\insn memory(%rip), %rax"
	.endr
	COPIED	bswap, "bswap %r10"
	COPIED	test_reg, "test %rax, %rbx"
	COPIED	test_imm, "test $0x11223344, %eax"
	COPIED	test_rip, "testb $0x10, memory+5(%rip)"
	COPIED	test_rip_32, "testq $0x10203040, memory(%rip)"
	.irp	insn, cbtw, cwtl, cltq, cwtd, cltd, cqto
	COPIED	\insn, "\insn"
	.endr
	COPIED	crc32, "crc32q memory(%rip), %rax", feature=X86_FEATURE_XMM4_2

	COPIED	mov_reg, "mov %rax, %r14"
	COPIED	mov_32, "mov %eax, %eax"
	COPIED	mov_imm, "mov $0x12345678, %eax"
	COPIED	mov_imm_64, "movabs $0x123456789abcdef0, %rax"
	COPIED	mov_imm_signed, "mov $-5, %rax"
	COPIED	mov_load, "mov 8(%rbx), %rax"
	COPIED	mov_store, "mov %rax, 8(%r12)"
	COPIED	mov_index, "mov (%rbx, %rcx, 8), %rax"
	COPIED	mov_abs, "mov memory+8, %eax"
	COPIED	mov_moffs_load, "movabs memory, %rax"
	COPIED	mov_moffs_store, "movabs %al, memory+3"
	COPIED	mov_rip_load, "mov memory(%rip), %rax"
	COPIED	mov_rip_load_32, "mov memory+4(%rip), %r9d"
	COPIED	mov_rip_load_8, "mov memory+5(%rip), %dl"
	COPIED	mov_rip_store, "mov %rax, memory(%rip)"
	COPIED	mov_rip_store_16, "mov %ax, memory(%rip)"
	COPIED	mov_rip_imm8, "movb $7, memory+1(%rip)"
	COPIED	mov_rip_imm16, "movw $0x777, memory+2(%rip)"
	COPIED	mov_rip_imm32, "movq $-0x777777, memory+8(%rip)"
	COPIED	movzx_rip, "movzbl memory+1(%rip), %eax"
	COPIED	movsx_rip, "movsbq memory+1(%rip), %rax"
	COPIED	movslq_rip, "movslq memory(%rip), %r13"
	COPIED	movnti, "movnti %rax, memory(%rip)"
	COPIED	lea, "lea 3(%rax, %rcx, 4), %rdx"
	COPIED	lea_rip, "lea memory(%rip), %rdx"
	COPIED	lea_rip_here, "lea 0(%rip), %rdx"
	COPIED	lea_eip, "lea memory(%eip), %rdx"
	COPIED	lea_32, "lea 5(%eax), %rdx"
	COPIED	xchg_reg, "xchg %rax, %rbx"
	COPIED	xchg_rip, "xchg %rax, memory(%rip)"
	COPIED	xadd, "xadd %rax, (%rbx)"
	COPIED	lock_xadd_rip, "lock xadd %rax, memory(%rip)"
	COPIED	lock_inc_rip, "lock incl memory(%rip)"
	COPIED	lock_bts, "lock bts %rcx, (%rbx)"
	COPIED	lock_or_rip, "lock orb $0x80, memory+7(%rip)"
	COPIED	cmpxchg_other, "cmpxchg %rdx, (%rbx)"
	COPIED	cmpxchg_same, "lock cmpxchg %rdx, memory(%rip)", before="mov memory(%rip), %rax"
	COPIED	cmpxchg8b, "lock cmpxchg8b memory(%rip)"
	COPIED	cmpxchg16b, "lock cmpxchg16b memory(%rip)"
	COPIED	xlat, "xlat", before="mov $9, %eax"

	BEGIN	percpu_inc
	PROBE
	incq	PER_CPU_VAR(insn_kunit_pcpu)
	mov	PER_CPU_VAR(insn_kunit_pcpu), %rax
	END	percpu_inc, INSN_FOLLOWED

	BEGIN	percpu_load
	incq	PER_CPU_VAR(insn_kunit_pcpu)
	PROBE
	mov	PER_CPU_VAR(insn_kunit_pcpu), %rax
	END	percpu_load, INSN_COPIED

/* ---- Strings ---------------------------------------------------------- */

	.macro STRINGS direction:req
	.irp	insn, movsb, movsw, movsl, movsq, stosb, stosq, \
		      lodsb, lodsq, scasb, scasq, cmpsb, cmpsq
	COPIED	\direction\()_\insn, "\insn", before="\direction"
	.endr
	.irp	insn, movsb, movsw, movsl, movsq, stosb, stosq, lodsb, lodsq
	COPIED	\direction\()_rep_\insn, "rep \insn", before="\direction"
	.endr
	.irp	insn, scasb, scasq, cmpsb, cmpsq
	COPIED	\direction\()_repe_\insn, "repe \insn", before="\direction"
	COPIED	\direction\()_repne_\insn, "repne \insn", before="\direction"
	.endr
	.endm

	STRINGS	cld
	STRINGS	std
	COPIED	rep_movsb_none, "rep movsb", before="mov $0, %ecx"
	COPIED	repe_cmpsb_equal, "repe cmpsb", before="mov %rsi, %rdi"
	COPIED	rep_movsb_16, "rep movsb", before="mov $16, %ecx"

/* ---- Segments and the system's registers ------------------------------ */

	.irp	seg, ds, es, fs, gs, cs
	COPIED	mov_from_\seg, "mov %\seg, %rax"
	.endr
	/* It depends on how the task last came into the kernel. */
	COPIED	mov_from_ss, "mov %ss, %rax", \
		before="mov $kernel_ds, %eax; mov %eax, %ss; nop"
	.irp	seg, ds, es, fs
	COPIED	mov_to_\seg, "mov %eax, %\seg", before="mov $0, %eax"
	.endr
	COPIED	mov_seg_rip, "mov %ds, memory(%rip)"
	COPIED	lss, "lss memory(%rip), %eax", before="movl $kernel_ds, memory+4(%rip)"
	COPIED	lfs, "lfs memory(%rip), %eax", before="movl $0, memory+4(%rip)"
	COPIED	lar, "lar %eax, %ebx", before="mov $kernel_ds, %eax"
	COPIED	lsl, "lsl %eax, %ebx", before="mov $kernel_ds, %eax"
	COPIED	verr, "verr %ax", before="mov $kernel_ds, %eax"
	COPIED	verw_rip, "verw memory(%rip)", before="movw $kernel_ds, memory(%rip)"
	COPIED	sgdt_rip, "sgdt memory(%rip)"
	COPIED	sidt_rip, "sidt memory(%rip)"
	COPIED	sldt, "sldt %eax"
	COPIED	str, "str %eax"
	COPIED	smsw, "smsw %rax"
	COPIED	mov_from_cr0, "mov %cr0, %rax"
	COPIED	mov_from_cr4, "mov %cr4, %rax"
	COPIED	mov_to_cr2, "mov %rax, %cr2", after="mov %cr2, %rdx", kind=followed
	COPIED	mov_from_db6, "mov %db6, %rax"
	COPIED	clts, "clts"
	COPIED	rdmsr, "rdmsr", before="mov $0xc0000080, %ecx"
	COPIED	cpuid, "cpuid", before="mov $0, %eax"
	COPIED	rdtsc, "rdtsc", after="mov $0, %eax; mov $0, %edx", kind=followed
	COPIED	outb, "outb %al, $0x80"
	COPIED	invlpg_rip, "invlpg memory(%rip)"
	COPIED	clflush_rip, "clflush memory(%rip)"
	COPIED	prefetch_rip, "prefetcht0 memory(%rip)"
	.irp	insn, lfence, mfence, sfence, pause
	COPIED	\insn, "\insn"
	.endr

/* ---- Doing nothing ---------------------------------------------------- */

	.irp	len, 1, 2, 3, 4, 5, 6, 7, 8, 9
	COPIED	nop_\len, ".nops \len, \len"
	.endr
	COPIED	nop_10, ".byte 0x66, 0x2e, 0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0"
	COPIED	nop_11, ".byte 0x66, 0x66, 0x2e, 0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0"
	COPIED	nop_15, ".fill 6, 1, 0x66; .byte 0x2e, 0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0"
	COPIED	nop_rip, "nopl memory(%rip)"
	COPIED	endbr64, "endbr64"
	COPIED	endbr32, "endbr32"

/* ---- Floating point and vectors --------------------------------------- */

	.macro VECTOR name:req, insn:req, feature=0
	COPIED	\name, "\insn", \
		before="movups memory(%rip), %xmm0; movups memory+16(%rip), %xmm1", \
		after="movups %xmm0, memory+64(%rip)", feature=\feature
	.endm

	VECTOR	movups_load, "movups memory+32(%rip), %xmm0"
	VECTOR	movups_store, "movups %xmm1, memory+96(%rip)"
	VECTOR	movaps, "movaps %xmm1, %xmm0"
	VECTOR	movntps, "movntps %xmm0, memory+96(%rip)"
	VECTOR	movq_from, "movq %xmm1, %rax"
	VECTOR	movq_to, "movq %rax, %xmm0"
	VECTOR	addps, "addps memory+32(%rip), %xmm0"
	VECTOR	mulsd, "mulsd %xmm1, %xmm0"
	VECTOR	por, "por %xmm1, %xmm0"
	VECTOR	pxor_rip, "pxor memory+48(%rip), %xmm0"
	VECTOR	psubd, "psubd %xmm1, %xmm0"
	VECTOR	pshufd, "pshufd $0x1b, memory+32(%rip), %xmm0"
	VECTOR	pslld, "pslld $3, %xmm0"
	VECTOR	cmpps, "cmpltps %xmm1, %xmm0"
	VECTOR	cvtsi2sd, "cvtsi2sd memory(%rip), %xmm0"
	VECTOR	ucomisd, "ucomisd %xmm1, %xmm0"
	VECTOR	pshufb, "pshufb %xmm1, %xmm0", X86_FEATURE_SSSE3
	VECTOR	stmxcsr, "stmxcsr memory+96(%rip)"
	COPIED	ldmxcsr, "ldmxcsr memory(%rip)", before="movl $0x1f80, memory(%rip)"
	COPIED	fld, "fldl memory(%rip)", after="fstpl memory+64(%rip)"
	COPIED	fstp, "fstpl memory+64(%rip)", before="fld1"
	COPIED	fnstcw, "fnstcw memory+64(%rip)"

	/* What comes behind a VEX prefix looks like another one's opcode. */
	VECTOR	vex_por, "vpor memory+32(%rip), %xmm1, %xmm0", X86_FEATURE_AVX
	VECTOR	vex_psubd, "vpsubd %xmm1, %xmm0, %xmm0", X86_FEATURE_AVX
	VECTOR	vex_psubq, "vpsubq %xmm1, %xmm0, %xmm0", X86_FEATURE_AVX
	VECTOR	vex_psubsb, "vpsubsb %xmm1, %xmm0, %xmm0", X86_FEATURE_AVX
	VECTOR	vex_psubsw, "vpsubsw memory+32(%rip), %xmm0, %xmm0", X86_FEATURE_AVX
	VECTOR	vex_pshufd, "vpshufd $0x1b, %xmm1, %xmm0", X86_FEATURE_AVX
	VECTOR	vex_pslld, "vpslld $3, %xmm1, %xmm0", X86_FEATURE_AVX
	VECTOR	vex_pavgb, "vpavgb %xmm1, %xmm0, %xmm0", X86_FEATURE_AVX
	VECTOR	vex_cmpps, "vcmpltps %xmm1, %xmm0, %xmm0", X86_FEATURE_AVX
	VECTOR	vex_movdqa, "vmovdqa %xmm1, %xmm0", X86_FEATURE_AVX
	VECTOR	vex_movups, "vmovups memory+32(%rip), %ymm0", X86_FEATURE_AVX
	VECTOR	vex_maskmov, "vmaskmovps %xmm2, %xmm2, memory+96(%rip)", X86_FEATURE_AVX
	VECTOR	vex_fmsub, "vfmsub132ps %xmm1, %xmm0, %xmm0", X86_FEATURE_FMA
	COPIED	vzeroupper, "vzeroupper", feature=X86_FEATURE_AVX
	COPIED	andn, "andn memory(%rip), %rax, %rdx", feature=X86_FEATURE_BMI1
	COPIED	rorx, "rorx $7, %rax, %rdx", feature=X86_FEATURE_BMI2

/* ---- None of these ---------------------------------------------------- */

	/* They trap, or hold back what traps behind them. */
	REFUSED	int3, -EINVAL, 0xcc
	REFUSED	int_3, -EINVAL, 0xcd, 0x03
	REFUSED	int_80, -EINVAL, 0xcd, 0x80
	REFUSED	int1, -EINVAL, 0xf1
	REFUSED	ud0, -EINVAL, 0x0f, 0xff, 0xc0
	REFUSED	ud1, -EINVAL, 0x0f, 0xb9, 0xcc
	REFUSED	ud2, -EINVAL, 0x0f, 0x0b
	REFUSED	xen_cpuid, -EINVAL, 0x0f, 0x0b, 0x78, 0x65, 0x6e, 0x0f, 0xa2
	REFUSED	mov_to_ss, -EINVAL, 0x8e, 0xd0
	REFUSED	mov_to_ss_memory, -EINVAL, 0x8e, 0x13

	/* They go where nobody can follow. */
	REFUSED_BRANCH lcall, -EOPNOTSUPP, 0xff, 0x1b
	REFUSED_BRANCH lcall_rex, -EOPNOTSUPP, 0x48, 0xff, 0x1b
	REFUSED	ljmp, -EOPNOTSUPP, 0xff, 0x2b
	REFUSED	ljmp_rip, -EOPNOTSUPP, 0xff, 0x2d, 0, 0, 0, 0
	REFUSED	lret, -EOPNOTSUPP, 0xcb
	REFUSED	lretq, -EOPNOTSUPP, 0x48, 0xcb
	REFUSED	lret_imm, -EOPNOTSUPP, 0xca, 8, 0
	REFUSED	iret, -EOPNOTSUPP, 0xcf
	REFUSED	iretq, -EOPNOTSUPP, 0x48, 0xcf
	REFUSED	syscall, -EOPNOTSUPP, 0x0f, 0x05
	REFUSED	sysret, -EOPNOTSUPP, 0x0f, 0x07
	REFUSED	sysretq, -EOPNOTSUPP, 0x48, 0x0f, 0x07
	REFUSED	sysenter, -EOPNOTSUPP, 0x0f, 0x34
	REFUSED	sysexit, -EOPNOTSUPP, 0x0f, 0x35
	REFUSED	rsm, -EOPNOTSUPP, 0x0f, 0xaa
	REFUSED	xbegin, -EOPNOTSUPP, 0xc7, 0xf8, 0, 0, 0, 0
	REFUSED	vmcall, -EOPNOTSUPP, 0x0f, 0x01, 0xc1
	REFUSED	vmlaunch, -EOPNOTSUPP, 0x0f, 0x01, 0xc2
	REFUSED	vmresume, -EOPNOTSUPP, 0x0f, 0x01, 0xc3
	REFUSED	vmxoff, -EOPNOTSUPP, 0x0f, 0x01, 0xc4
	REFUSED	vmrun, -EOPNOTSUPP, 0x0f, 0x01, 0xd8
	REFUSED	vmmcall, -EOPNOTSUPP, 0x0f, 0x01, 0xd9
	REFUSED	clgi, -EOPNOTSUPP, 0x0f, 0x01, 0xdd
	REFUSED	swapgs, -EOPNOTSUPP, 0x0f, 0x01, 0xf8
	REFUSED	erets, -EOPNOTSUPP, 0xf2, 0x0f, 0x01, 0xca
	REFUSED	eretu, -EOPNOTSUPP, 0xf3, 0x0f, 0x01, 0xca

	REFUSED	rex2_mov, -EOPNOTSUPP, 0xd5, 0x10, 0x89, 0xc0
	REFUSED	rex2_pshufd, -EOPNOTSUPP, 0xd5, 0x80, 0x70, 0xc1, 0x1b

	/* With operands that no compiler makes, and processors disagree about. */
	REFUSED	pushf_16, -EOPNOTSUPP, 0x66, 0x9c
	REFUSED	popf_16, -EOPNOTSUPP, 0x66, 0x9d
	REFUSED_BRANCH call_16, -EOPNOTSUPP, 0x66, 0xff, 0xd0
	REFUSED_BRANCH jmp_16, -EOPNOTSUPP, 0x66, 0xff, 0xe0
	REFUSED_BRANCH call_fs, -EOPNOTSUPP, 0x64, 0xff, 0x10
	REFUSED_BRANCH jmp_gs, -EOPNOTSUPP, 0x65, 0xff, 0x20
	REFUSED_BRANCH call_addr32, -EOPNOTSUPP, 0x67, 0xff, 0x10
	REFUSED_BRANCH ret_16, -EOPNOTSUPP, 0x66, 0xc3
	REFUSED_BRANCH ret_imm_16, -EOPNOTSUPP, 0x66, 0xc2, 8, 0
	REFUSED	jmp_short_16, -EOPNOTSUPP, 0x66, 0xeb, 0
	REFUSED	jne_short_16, -EOPNOTSUPP, 0x66, 0x75, 0
	REFUSED	loop_16, -EOPNOTSUPP, 0x66, 0xe2, 0

	.pushsection .rodata, "a"
SYM_DATA_END_LABEL(insn_kunit_first, SYM_L_GLOBAL, insn_kunit_last)
	.popsection
