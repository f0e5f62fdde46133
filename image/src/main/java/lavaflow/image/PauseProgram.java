package lavaflow.image;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.HexFormat;

/**
 * A program that waits, gathers processes nobody waits for, and ends when it is told to. It is what pods have in place of a program
 * of their own, some by the hundred, so it is a few instructions rather than a shell.
 */
final class PauseProgram {
    private static final long BASE = 0x400000;
    private static final int HEADERS = 64 + 56;

    /** For x86-64; signals stay blocked, which keeps the kernel from ignoring them for the first process of a namespace. */
    private static final String[] CODE = {
        "4883ec10", //            sub  rsp, 16
        "48c70424ffffffff", //    mov  qword [rsp], -1      ; the set of all signals
        "31ff", //                xor  edi, edi             ; SIG_BLOCK
        "4889e6", //              mov  rsi, rsp
        "31d2", //                xor  edx, edx
        "41ba08000000", //        mov  r10d, 8
        "b80e000000", //          mov  eax, 14              ; rt_sigprocmask
        "0f05", //                syscall
        "4889e7", //       wait:  mov  rdi, rsp
        "31f6", //                xor  esi, esi
        "31d2", //                xor  edx, edx
        "41ba08000000", //        mov  r10d, 8
        "b880000000", //          mov  eax, 128             ; rt_sigtimedwait
        "0f05", //                syscall
        "83f80f", //              cmp  eax, 15              ; SIGTERM
        "7421", //                je   exit
        "83f802", //              cmp  eax, 2               ; SIGINT
        "741c", //                je   exit
        "bfffffffff", //   reap:  mov  edi, -1
        "31f6", //                xor  esi, esi
        "ba01000000", //          mov  edx, 1               ; WNOHANG
        "4531d2", //              xor  r10d, r10d
        "b83d000000", //          mov  eax, 61              ; wait4
        "0f05", //                syscall
        "85c0", //                test eax, eax
        "7fe6", //                jg   reap
        "ebc6", //                jmp  wait
        "31ff", //         exit:  xor  edi, edi
        "b83c000000", //          mov  eax, 60              ; exit
        "0f05", //                syscall
    };

    private PauseProgram() {}

    static boolean isFor(Platform platform) {
        return platform.architecture().equals("amd64");
    }

    /** The program as a file. */
    static byte[] file() {
        ByteArrayOutputStream code = new ByteArrayOutputStream();
        for (String instruction : CODE) {
            code.writeBytes(HexFormat.of().parseHex(instruction));
        }
        int size = HEADERS + code.size();
        ByteBuffer file = ByteBuffer.allocate(size).order(ByteOrder.LITTLE_ENDIAN);
        file.put(new byte[] {0x7f, 'E', 'L', 'F', 2, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0});
        file.putShort((short) 2).putShort((short) 62).putInt(1); // an executable for x86-64
        file.putLong(BASE + HEADERS).putLong(64).putLong(0).putInt(0);
        file.putShort((short) 64).putShort((short) 56).putShort((short) 1);
        file.putShort((short) 64).putShort((short) 0).putShort((short) 0);
        file.putInt(1).putInt(5).putLong(0).putLong(BASE).putLong(BASE); // one segment, read and run
        file.putLong(size).putLong(size).putLong(0x1000);
        return file.put(code.toByteArray()).array();
    }
}
