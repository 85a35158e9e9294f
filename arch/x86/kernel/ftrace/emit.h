/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Writing x86_64 instructions one after the other.
 *
 * An emitter without a buffer only counts.  Code is position dependent where
 * it calls or jumps out of itself: @at is where the first byte will be.  Each
 * function here is one instruction; the comment gives it as the assembler
 * has it.
 */
#ifndef _ARCH_X86_KERNEL_FTRACE_EMIT_H
#define _ARCH_X86_KERNEL_FTRACE_EMIT_H

#include <linux/bug.h>
#include <linux/string.h>
#include <linux/types.h>

#include <asm/text-patching.h>

/* Registers by their number in the encoding. */
enum emit_reg {
	EMIT_AX, EMIT_CX, EMIT_DX, EMIT_BX, EMIT_SP, EMIT_BP, EMIT_SI, EMIT_DI,
	EMIT_R8, EMIT_R9, EMIT_R10, EMIT_R11, EMIT_R12, EMIT_R13, EMIT_R14,
	EMIT_R15,
};

struct emitter {
	u8		*buf;
	size_t		len;
	unsigned long	at;
};

static inline void emit_bytes(struct emitter *e, const void *bytes, size_t len)
{
	if (e->buf)
		memcpy(e->buf + e->len, bytes, len);
	e->len += len;
}

#define emit(e, ...)							\
	do {								\
		const u8 __bytes[] = { __VA_ARGS__ };			\
									\
		emit_bytes(e, __bytes, sizeof(__bytes));		\
	} while (0)

static inline void emit_u32(struct emitter *e, u32 value)
{
	emit_bytes(e, &value, sizeof(value));
}

static inline unsigned long emit_here(const struct emitter *e)
{
	return e->at + e->len;
}

/* REX.W with the bits that extend a ModRM byte's two registers. */
static inline u8 emit_rex(enum emit_reg reg, enum emit_reg rm)
{
	return 0x48 | (reg >= EMIT_R8) << 2 | (rm >= EMIT_R8);
}

/* A ModRM byte and what follows it, for disp(%rsp). */
static inline void emit_stack_operand(struct emitter *e, unsigned int reg,
				      int disp)
{
	if (disp >= -128 && disp < 128) {
		emit(e, 0x44 | (reg & 7) << 3, 0x24, disp);
	} else {
		emit(e, 0x84 | (reg & 7) << 3, 0x24);
		emit_u32(e, disp);
	}
}

/* movq %reg, disp(%rsp) */
static inline void emit_store(struct emitter *e, enum emit_reg reg, int disp)
{
	emit(e, emit_rex(reg, EMIT_SP), 0x89);
	emit_stack_operand(e, reg, disp);
}

/* movq disp(%rsp), %reg */
static inline void emit_load(struct emitter *e, enum emit_reg reg, int disp)
{
	emit(e, emit_rex(reg, EMIT_SP), 0x8b);
	emit_stack_operand(e, reg, disp);
}

/* leaq disp(%rsp), %reg */
static inline void emit_lea(struct emitter *e, enum emit_reg reg, int disp)
{
	emit(e, emit_rex(reg, EMIT_SP), 0x8d);
	emit_stack_operand(e, reg, disp);
}

/* movq $imm, disp(%rsp) */
static inline void emit_store_imm(struct emitter *e, s32 imm, int disp)
{
	emit(e, 0x48, 0xc7);
	emit_stack_operand(e, 0, disp);
	emit_u32(e, imm);
}

/* movq %from, %to */
static inline void emit_move(struct emitter *e, enum emit_reg to,
			     enum emit_reg from)
{
	emit(e, emit_rex(from, to), 0x89, 0xc0 | (from & 7) << 3 | (to & 7));
}

/* leaq disp8(%from), %to; not from %rsp or %r12 */
static inline void emit_add(struct emitter *e, enum emit_reg to,
			    enum emit_reg from, s8 disp)
{
	emit(e, emit_rex(to, from), 0x8d,
	     0x40 | (to & 7) << 3 | (from & 7), disp);
}

/* movq $imm, %reg: the shorter of the forms that fit */
static inline void emit_imm(struct emitter *e, enum emit_reg reg, u64 imm)
{
	if ((s64)imm == (s32)imm) {
		emit(e, emit_rex(0, reg), 0xc7, 0xc0 | (reg & 7));
		emit_u32(e, imm);
	} else {
		emit(e, emit_rex(0, reg), 0xb8 | (reg & 7));
		emit_bytes(e, &imm, sizeof(imm));
	}
}

/* call or jmp rel32, by opcode */
static inline void emit_branch(struct emitter *e, u8 opcode, unsigned long to)
{
	long rel = to - (emit_here(e) + CALL_INSN_SIZE);

	emit(e, opcode);
	emit_u32(e, rel);
}

static inline void emit_call(struct emitter *e, const void *to)
{
	/* Or the compiler folds a subtraction in, and objtool sees no ENDBR. */
	OPTIMIZER_HIDE_VAR(to);
	emit_branch(e, CALL_INSN_OPCODE, (unsigned long)to);
}

/* jcc rel8 forward, by opcode; emit_land() sets where to */
static inline size_t emit_skip(struct emitter *e, u8 opcode)
{
	emit(e, opcode, 0);
	return e->len;
}

static inline void emit_land(struct emitter *e, size_t from)
{
	if (WARN_ON_ONCE(e->len - from > 127))
		return;
	if (e->buf)
		e->buf[from - 1] = e->len - from;
}

#define EMIT_JMP	0xeb
#define EMIT_JC		0x72
#define EMIT_JZ		0x74
#define EMIT_JNZ	0x75
#define EMIT_JS		0x78

#endif /* _ARCH_X86_KERNEL_FTRACE_EMIT_H */
