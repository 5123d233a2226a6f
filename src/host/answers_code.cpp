// What programs run instead of a system call that needs no stop (answers.h). It is copied into
// every program, uses no stack (those of some runtimes have no room to spare) and keeps, besides
// the result, only what the instruction itself would not keep: rcx, r11 and the flags.
//
// It is entered with the number of the call in rax and the address of the program's own SYSCALL in
// rcx. "Stop" means to go there with everything as it was.
#include <cstddef>

#include "host/answers.h"

asm(R"(
.set A_SITE, 0
.set A_KIND, 8
.set A_RAX, 16
.set A_RDI, 24
.set A_RSI, 32
.set A_RDX, 40
.set A_R10, 48
.set A_R8, 56
.set A_R9, 64
.set A_POLL, 72
.set A_VALUE, 80
.set A_LENGTH, 84
.set A_STAT, 96
.set A_LIMIT, 256
.set A_IDLE, 264
.set A_FILES, 272
.set A_SIGNALS, 280
.set A_PROC, 288
.set A_ROWS, 296
.set A_TABLE, 304
.set A_COUNT, 1024
.set A_LOG, 1088

.macro answer_page
  movabs $0x7ffff8103000, %r11
.endm
.macro answer_save
  mov %rax, A_RAX(%r11)
  mov %rdi, A_RDI(%r11)
  mov %rsi, A_RSI(%r11)
  mov %rdx, A_RDX(%r11)
  mov %r10, A_R10(%r11)
  mov %r8, A_R8(%r11)
  mov %r9, A_R9(%r11)
.endm
.macro answer_restore
  mov A_RDI(%r11), %rdi
  mov A_RSI(%r11), %rsi
  mov A_RDX(%r11), %rdx
  mov A_R10(%r11), %r10
  mov A_R8(%r11), %r8
  mov A_R9(%r11), %r9
.endm
.macro answer_native number
  mov $\number, %eax
  syscall
  answer_page
.endm

.pushsection .rodata
.balign 16
.globl dissensus_answer_code, dissensus_answer_code_end
dissensus_answer_code:
  answer_page
  mov %rcx, A_SITE(%r11)
  mov A_COUNT(%r11), %rcx
  cmp A_LIMIT(%r11), %rcx
  jae .Lanswer_stop
  movq $0, A_KIND(%r11)
  cmp $202, %rax
  je .Lanswer_futex
  cmp $232, %rax
  je .Lanswer_epoll
  cmp $281, %rax
  je .Lanswer_epoll
  cmp $0, %rax
  je .Lanswer_in
  cmp $45, %rax
  je .Lanswer_in
  cmp $47, %rax
  je .Lanswer_in
  cmp $43, %rax
  je .Lanswer_accept
  cmp $288, %rax
  je .Lanswer_accept
  cmp $1, %rax
  je .Lanswer_out
  cmp $44, %rax
  je .Lanswer_out
  cmp $46, %rax
  je .Lanswer_out
  cmp $18, %rax
  je .Lanswer_out
  cmp $257, %rax
  je .Lanswer_open
  cmp $2, %rax
  je .Lanswer_open
  cmp $286, %rax
  je .Lanswer_timer
.Lanswer_stop:
  mov A_SITE(%r11), %rcx
  jmp *%rcx
.Lanswer_restore_stop:
  answer_restore
  mov A_RAX(%r11), %rax
  mov A_SITE(%r11), %rcx
  jmp *%rcx

# FUTEX_WAKE of a private futex: who waits is in the table; the supervisor wakes them later.
.Lanswer_futex:
  cmp $129, %esi
  jne .Lanswer_stop
  cmpq $32, A_ROWS(%r11)
  ja .Lanswer_stop
  answer_save
  movq $2, A_KIND(%r11)
  mov A_ROWS(%r11), %rcx
  xor %eax, %eax
  lea A_TABLE(%r11), %r9
1: test %rcx, %rcx
  je .Lanswer_log
  cmp %rdi, (%r9)
  je 2f
  add $16, %r9
  dec %rcx
  jmp 1b
2: mov 8(%r9), %rax
  movslq %edx, %rdx
  test %rdx, %rdx
  jg 3f
  xor %edx, %edx
3: cmp %rdx, %rax
  cmovg %rdx, %rax
  sub %rax, 8(%r9)
  jmp .Lanswer_log

# epoll_wait and epoll_pwait that do not wait and find nothing.
.Lanswer_epoll:
  test %r10d, %r10d
  jne .Lanswer_stop
  test %edx, %edx
  jle .Lanswer_stop
  cmpq $0, A_IDLE(%r11)
  je .Lanswer_stop
  answer_save
  movl %edi, A_POLL(%r11)
  movl $1, A_POLL+4(%r11)
  lea A_POLL(%r11), %rdi
  mov $1, %esi
  xor %edx, %edx
  answer_native 7
  test %rax, %rax
  jne .Lanswer_restore_stop
  decq A_IDLE(%r11)
  movq $1, A_KIND(%r11)
  jmp .Lanswer_log

# timerfd_settime of a timer that comes once, by a program that does not ask what there was before.
# Whether its value can be read says utimensat, which reads as much and then finds no file.
.Lanswer_timer:
  test $-2, %esi
  jne .Lanswer_stop
  test %r10, %r10
  jne .Lanswer_stop
  answer_save
  mov $-1, %edi
  xor %esi, %esi
  answer_native 280
  cmp $-9, %rax
  jne .Lanswer_restore_stop
  mov A_RDX(%r11), %rcx
  mov (%rcx), %rax
  or 8(%rcx), %rax
  jne .Lanswer_restore_stop
  mov 16(%rcx), %rax
  shr $33, %rax
  jne .Lanswer_restore_stop
  cmpq $999999999, 24(%rcx)
  ja .Lanswer_restore_stop
  imul $1000000000, 16(%rcx), %rax
  add 24(%rcx), %rax
  mov %rax, A_STAT+8(%r11)
# Which one it is (counter.h): a signalfd is no timer.
  mov A_RDI(%r11), %rdi
  lea A_STAT+16(%r11), %rsi
  answer_native 287
  test %rax, %rax
  jne .Lanswer_restore_stop
  imul $1000000000, A_STAT+16(%r11), %rax
  add A_STAT+24(%r11), %rax
  je .Lanswer_restore_stop
  test $1, %eax
  jne .Lanswer_restore_stop
  shl $8, %rax
  or $4, %rax
  mov %rax, A_KIND(%r11)
# It is not ready any more.
  mov A_RDI(%r11), %rdi
  xor %esi, %esi
  lea A_STAT+16(%r11), %rdx
  xor %r10d, %r10d
  answer_native 286
  test %rax, %rax
  je .Lanswer_log
  jmp .Lanswer_restore_stop

# Opening what is there or not, and makes nothing. Pipes may wait; of /proc, and of what is hidden,
# the supervisor knows more. Nothing is below /node, /usr, /lib, /dev and /tmp. The kernel has read
# the name before we do.
.Lanswer_open:
  answer_save
  cmp $2, %rax
  jne 12f
  mov %rsi, %rdx
  mov %rdi, %rsi
  mov $-100, %edi
12: test $0x400240, %edx
  jne .Lanswer_restore_stop
  cmpq $0, A_PROC(%r11)
  je .Lanswer_restore_stop
  lea A_STAT(%r11), %rdx
  xor %r10d, %r10d
  answer_native 262
  cmp $-2, %rax
  je 13f
  cmp $-20, %rax
  je 13f
  test %rax, %rax
  jne .Lanswer_restore_stop
  mov A_PROC(%r11), %rcx
  cmp %rcx, A_STAT(%r11)
  je .Lanswer_restore_stop
  mov A_STAT+24(%r11), %ecx
  and $0xf000, %ecx
  cmp $0x1000, %ecx
  je .Lanswer_restore_stop
13: cmpb $0x2f, (%rsi)
  jne .Lanswer_perform
  movzbl 1(%rsi), %ecx
  cmp $0x6e, %ecx
  je .Lanswer_perform
  cmp $0x75, %ecx
  je .Lanswer_perform
  cmp $0x6c, %ecx
  je .Lanswer_perform
  cmp $0x64, %ecx
  je .Lanswer_perform
  cmp $0x74, %ecx
  je .Lanswer_perform
  jmp .Lanswer_restore_stop

# accept that finds nothing.
.Lanswer_accept:
  answer_save
  mov $3, %esi
  answer_native 72
  test %rax, %rax
  js .Lanswer_restore_stop
  test $0x800, %eax
  je .Lanswer_restore_stop
  movl %edi, A_POLL(%r11)
  movl $1, A_POLL+4(%r11)
  lea A_POLL(%r11), %rdi
  mov $1, %esi
  xor %edx, %edx
  answer_native 7
  test %rax, %rax
  jne .Lanswer_restore_stop
  answer_restore
  mov A_RAX(%r11), %rax
  syscall
  answer_page
  jmp 9f

# Reads that cannot wait.
.Lanswer_in:
  answer_save
  mov $3, %esi
  answer_native 72
  test %rax, %rax
  js .Lanswer_restore_stop
  mov %eax, A_VALUE(%r11)
  lea A_STAT(%r11), %rsi
  answer_native 5
  test %rax, %rax
  jne .Lanswer_restore_stop
  mov A_STAT+24(%r11), %ecx
  and $0xf000, %ecx
  cmp $0x8000, %ecx
  je 4f
  testl $0x800, A_VALUE(%r11)
  je .Lanswer_restore_stop
  cmp $0x1000, %ecx
  je .Lanswer_perform
  cmp $0xc000, %ecx
  je .Lanswer_from_stream
  test %ecx, %ecx
  jne .Lanswer_restore_stop
  cmpq $0, A_SIGNALS(%r11)
  je .Lanswer_perform
  cmpq $128, A_RDX(%r11)
  jae .Lanswer_restore_stop
  jmp .Lanswer_perform
# Who asks for the sender's address is told by the supervisor.
.Lanswer_from_stream:
  cmpq $45, A_RAX(%r11)
  jne .Lanswer_stream
  cmpq $0, A_R8(%r11)
  jne .Lanswer_restore_stop
  jmp .Lanswer_stream
4: cmpq $0, A_RAX(%r11)
  jne .Lanswer_restore_stop
  jmp .Lanswer_perform

# Only streams: behind datagrams are addresses that the supervisor knows, or timers.
.Lanswer_stream:
  movl $4, A_LENGTH(%r11)
  mov $1, %esi
  mov $3, %edx
  lea A_VALUE(%r11), %r10
  lea A_LENGTH(%r11), %r8
  answer_native 55
  test %rax, %rax
  jne .Lanswer_restore_stop
  cmpl $1, A_VALUE(%r11)
  jne .Lanswer_restore_stop
  mov A_RAX(%r11), %rax
  cmp $1, %rax
  je 5f
  cmp $44, %rax
  je 6f
  cmp $46, %rax
  je 7f
  cmp $18, %rax
  je .Lanswer_restore_stop
  answer_restore
  mov A_RAX(%r11), %rax
  syscall
  answer_page
  cmpq $47, A_RAX(%r11)
  jne 9f
  test %rax, %rax
  js 9f
  mov A_RSI(%r11), %rcx
  cmpq $0, (%rcx)
  je 9f
  movl $0, 8(%rcx)
  jmp 9f
5: answer_restore
  mov $0x4000, %r10d
  xor %r8d, %r8d
  xor %r9d, %r9d
  jmp 8f
6: cmpq $0, A_R8(%r11)
  jne .Lanswer_restore_stop
  testl $1, A_R10(%r11)
  jne .Lanswer_restore_stop
  answer_restore
  or $0x4000, %r10d
8: answer_native 44
  jmp 9f
7: testl $1, A_RDX(%r11)
  jne .Lanswer_restore_stop
  answer_restore
  or $0x4000, %edx
  answer_native 46
# A pipe that is broken means a signal, which has to come at the program's own instruction; other
# errors (but EAGAIN, and a reset, which is told once) are worded by the supervisor.
9: cmp $-11, %rax
  je .Lanswer_log
  cmp $-104, %rax
  je .Lanswer_log
  test %rax, %rax
  js .Lanswer_restore_stop
  jmp .Lanswer_log

# Writes that cannot wait.
.Lanswer_out:
  answer_save
  mov $3, %esi
  answer_native 72
  test %rax, %rax
  js .Lanswer_restore_stop
  mov %eax, A_VALUE(%r11)
  lea A_STAT(%r11), %rsi
  answer_native 5
  test %rax, %rax
  jne .Lanswer_restore_stop
  mov A_STAT+24(%r11), %ecx
  and $0xf000, %ecx
  cmp $0x8000, %ecx
  je 10f
  testl $0x800, A_VALUE(%r11)
  je .Lanswer_restore_stop
  cmp $0xc000, %ecx
  je .Lanswer_stream
  test %ecx, %ecx
  jne .Lanswer_restore_stop
  cmpq $1, A_RAX(%r11)
  jne .Lanswer_restore_stop
  jmp .Lanswer_perform
# To a file whose writes cost nothing, far from any limit of its size.
10: cmpq $0, A_FILES(%r11)
  je .Lanswer_restore_stop
  testl $0x101000, A_VALUE(%r11)
  jne .Lanswer_restore_stop
  movq $3, A_KIND(%r11)
  mov A_STAT+48(%r11), %rcx
  add A_RDX(%r11), %rcx
  cmpq $1, A_RAX(%r11)
  je 11f
  cmpq $18, A_RAX(%r11)
  jne .Lanswer_restore_stop
  add A_R10(%r11), %rcx
11: cmp $0x10000000, %rcx
  jae .Lanswer_restore_stop

.Lanswer_perform:
  answer_restore
  mov A_RAX(%r11), %rax
  syscall
  answer_page
.Lanswer_log:
  mov A_COUNT(%r11), %rcx
  incq A_COUNT(%r11)
  shl $6, %rcx
  lea A_LOG(%r11,%rcx), %rcx
  mov %rax, 48(%rcx)
  mov A_RAX(%r11), %rdi
  mov %rdi, (%rcx)
  mov A_KIND(%r11), %rdi
  mov %rdi, 8(%rcx)
  mov A_RDI(%r11), %rdi
  mov %rdi, 16(%rcx)
  mov A_RSI(%r11), %rsi
  mov %rsi, 24(%rcx)
  mov A_RDX(%r11), %rdx
  mov %rdx, 32(%rcx)
  mov A_R10(%r11), %r10
  mov %r10, 40(%rcx)
  mov A_STAT+8(%r11), %rdi
  mov %rdi, 56(%rcx)
  mov A_RDI(%r11), %rdi
  mov A_R8(%r11), %r8
  mov A_R9(%r11), %r9
  mov A_SITE(%r11), %rcx
  add $2, %rcx
  jmp *%rcx
dissensus_answer_code_end:
.popsection
)");

extern "C" {
extern const unsigned char dissensus_answer_code[], dissensus_answer_code_end[];
}

namespace dissensus::host {

static_assert(kAnswerPageAddress == 0x7fff'f810'3000);
static_assert(kAnswerControlOffset == 256 && offsetof(AnswerControl, idle_left) == 8 &&
              offsetof(AnswerControl, files_free) == 16 &&
              offsetof(AnswerControl, has_signal_readers) == 24 &&
              offsetof(AnswerControl, proc_device) == 32 && offsetof(AnswerControl, rows) == 40 &&
              offsetof(AnswerControl, table) == 48 && kAnswerRowsMax == 32);
static_assert(kAnswerControlOffset + sizeof(AnswerControl) <= kAnswerLogOffset);
static_assert(kAnswerLogOffset == 1024 && offsetof(AnswerLog, entries) == 64 &&
              sizeof(AnswerEntry) == 64 && kAnswerLogOffset + sizeof(AnswerLog) <= 4096);
static_assert(offsetof(AnswerEntry, kind) == 8 && offsetof(AnswerEntry, arguments) == 16 &&
              offsetof(AnswerEntry, result) == 48 && offsetof(AnswerEntry, inode) == 56);

std::span<const unsigned char> answer_code() {
  return {dissensus_answer_code, dissensus_answer_code_end};
}

}  // namespace dissensus::host
