# SPDX-License-Identifier: Apache-2.0
"""Runs gdb in batch mode on firmware: breakpoints, steps, registers, memory, interrupt.

    test_gdb.py --mxe-run FILE --firmware FOLDER --gdb FILE
"""
import argparse
import os
import re
import signal
import socket
import subprocess
import sys
import time
import unittest

OPTIONS = argparse.Namespace()
SECONDS = 60


class Guest:
    def __init__(self, name, *arguments, options=()):
        self.elf = f"{OPTIONS.firmware}/{name}.elf"
        command = [OPTIONS.mxe_run, "run", self.elf, "--gdb", "0", "--summary", *options, "--", *arguments]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        line = self.process.stderr.readline()
        self.port = int(re.fullmatch(r"mxe run: waiting for gdb on 127\.0\.0\.1:(\d+)\n", line)[1])

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.communicate()

    def seconds(self):
        with open(f"/proc/{self.process.pid}/stat", encoding="ascii") as stat:
            fields = stat.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def run_for(self, seconds):
        """Waits until the program has used this processor time."""
        end = self.seconds() + seconds
        while self.seconds() < end:
            time.sleep(0.05)

    def end(self):
        out, err = self.process.communicate(timeout=SECONDS)
        return self.process.returncode, out, err

    def start_gdb(self, *commands):
        line = [OPTIONS.gdb, "-batch", "-nx", "-ex", f"target remote 127.0.0.1:{self.port}"]
        for command in commands:
            line += ["-ex", command]
        return subprocess.Popen(line + [self.elf], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.STDOUT, text=True)

    def gdb(self, *commands):
        return self.start_gdb(*commands).communicate(timeout=SECONDS)[0]


def plain(name, *arguments):
    """Runs a program without gdb; returns (exit code, stdout, stderr)."""
    command = [OPTIONS.mxe_run, "run", f"{OPTIONS.firmware}/{name}.elf", "--summary", "--", *arguments]
    run = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False)
    return run.returncode, run.stdout, run.stderr


class Gdb(unittest.TestCase):
    @staticmethod
    def each():
        return [(f"guest{bits}", bits) for bits in (32, 64)]

    def test_breakpoints_arguments_and_the_stack(self):
        for name, _ in self.each():
            with Guest(name, "interrupt") as guest:
                printed = guest.gdb("break main", "continue", "print argc", "print argv[1]", "break on_engine",
                                    "continue", "backtrace", "continue", "print interrupts", "delete", "continue")
                self.assertIn('$1 = 2\n$2 = 0x83ff', printed)
                self.assertIn('"interrupt"', printed)
                self.assertRegex(printed, r"#0 +on_engine \(\) at .*\n#1 .* trap \(\)")
                self.assertIn("$3 = 1\n", printed)
                self.assertIn("exited normally", printed)
                self.assertEqual(guest.end(), plain(name, "interrupt"), "gdb changes nothing that software sees")

    def test_steps(self):
        for name, _ in self.each():
            with Guest(name, "time") as guest:
                printed = guest.gdb("break soc_put_unsigned", "continue", "delete", "print/x $pc", "stepi",
                                    "print/x $pc", "stepi", "stepi", "print/x $pc", "finish", "continue")
                pcs = [int(pc, 16) for pc in re.findall(r"^\$\d = (0x\w+)$", printed, re.MULTILINE)]
                self.assertEqual(len(pcs), 3, printed)
                self.assertIn(pcs[1] - pcs[0], (2, 4))
                self.assertNotIn(pcs[2], pcs[:2])
                self.assertIn("put_line (", printed)
                self.assertEqual(guest.end(), plain(name, "time"))

    def test_stepping_over_wfi_and_into_an_interrupt(self):
        for name, _ in self.each():
            with Guest(name, "time") as guest:
                printed = guest.gdb("break soc_wait_for_interrupt", "continue", "delete", *["stepi"] * 40,
                                    "continue")
                self.assertIn("exited normally", printed)
                self.assertEqual(guest.end(), plain(name, "time"))

    def test_registers_and_memory(self):
        for name, bits in self.each():
            with Guest(name, "arguments") as guest:
                value = "0x123456789abcdef0" if bits == 64 else "0x12345678"
                printed = guest.gdb("break main", "continue", f"set $t6 = {value}", "print/x $t6", "print/x $a0",
                                    "set {int}&ring = 0x11223344", "x/4xb &ring", "set argv[1] = argv[0]",
                                    "x/xw 0x10001000", "continue")
                self.assertIn(f"= {value}\n", printed)
                self.assertIn("= 0x2\n", printed)
                self.assertIn("0x44\t0x33\t0x22\t0x11", printed)
                self.assertIn("Cannot access memory at address 0x10001000", printed)
                self.assertEqual(guest.end()[:2], (99, ""), "main saw the argument that gdb had put there")

    def test_interrupt_and_kill(self):
        for name, _ in self.each():
            with Guest(name, "loop") as guest:
                gdb = guest.start_gdb("continue", "backtrace 1", "kill")
                guest.run_for(0.3)
                gdb.send_signal(signal.SIGINT)
                printed = gdb.communicate(timeout=SECONDS)[0]
                self.assertIn("SIGINT", printed)
                self.assertIn("#0  fault_loop", printed)
                code, _, err = guest.end()
                self.assertEqual(code, 3)
                self.assertIn("killed by the debugger", err)

    def test_faults_can_be_looked_at(self):
        for name, _ in self.each():
            for fault, sign in (("read", "SIGSEGV"), ("engine_read", "SIGSEGV"), ("illegal", "SIGILL")):
                with Guest(name, fault) as guest:
                    printed = guest.gdb("continue", "print $pc", "continue")
                    self.assertIn(sign, printed)
                    self.assertIn(f"<fault_{fault}>", printed)
                    self.assertIn("exited with code 03", printed)
                    self.assertEqual(guest.end(), plain(name, fault))

    def test_an_ebreak_is_a_breakpoint(self):
        for name, _ in self.each():
            for kind in ("ebreak", "ebreak_short"):
                with Guest(name, kind) as guest:
                    self.assertIn("SIGTRAP", guest.gdb("continue", "continue"))
                    self.assertEqual(guest.end()[0], 99)

    def test_detached_and_disconnected_programs_run_on(self):
        for name, _ in self.each():
            with Guest(name, "time") as guest:
                guest.gdb("break main", "continue", "detach")
                self.assertEqual(guest.end(), plain(name, "time"))
            with Guest(name, "time") as guest:
                socket.create_connection(("127.0.0.1", guest.port)).close()
                self.assertEqual(guest.end(), plain(name, "time"))


class Watchpoints(unittest.TestCase):
    def test_writes_reads_and_both(self):
        for name, _ in Gdb.each():
            with Guest(name, "interrupt") as guest:
                printed = guest.gdb("break main", "continue", "watch interrupts", "continue", "backtrace 1",
                                    "continue", "delete", "continue")
                self.assertIn("Hardware watchpoint 2: interrupts\n\nOld value = 0\nNew value = 1\n", printed)
                self.assertIn("Old value = 1\nNew value = 2\n", printed)
                self.assertRegex(printed, r"on_engine \(\) at")
                self.assertIn("exited normally", printed)
                self.assertEqual(guest.end(), plain(name, "interrupt"), "gdb changes nothing that software sees")
            with Guest(name, "interrupt") as guest:
                printed = guest.gdb("break main", "continue", "rwatch engine", "continue", "backtrace 1", "continue",
                                    "delete", "awatch seen_at", "continue", "continue", "delete", "continue")
                self.assertRegex(printed, r"Hardware read watchpoint 2: engine\n\nValue = \(const struct mxe_port \*\) 0x")
                self.assertRegex(printed, r"Hardware access \(read/write\) watchpoint 3: seen_at\n")
                self.assertIn("exited normally", printed)
                self.assertEqual(guest.end(), plain(name, "interrupt"))

    def test_bytes_beside_them_do_not_count(self):
        for name, _ in Gdb.each():
            with Guest(name, "interrupt") as guest:
                # Slots, ring and operand have other addresses; the highest byte of a counter stays 0.
                printed = guest.gdb("break main", "continue", "watch *((char*)&interrupts + 3)", "continue")
                self.assertIn("Hardware watchpoint 2: ", printed)
                self.assertNotIn("Old value", printed)
                self.assertIn("exited normally", printed)
                self.assertEqual(guest.end(), plain(name, "interrupt"))

    def test_writes_of_the_engine(self):
        done_job_id = 0x74  # in the descriptor, where the engine writes the record
        for name, _ in Gdb.each():
            with Guest(name, "interrupt") as guest:
                printed = guest.gdb("break main", "continue", f"watch *(unsigned*)&ring[{done_job_id}]", "continue",
                                    "delete", "continue")
                self.assertIn("Old value = 0\nNew value = 1\n", printed)
                self.assertIn("exited normally", printed)
                self.assertEqual(guest.end(), plain(name, "interrupt"))

    def test_only_in_the_memory(self):
        with Guest("guest32", "time") as guest:
            printed = guest.gdb("break main", "continue", "watch *(unsigned*)0x20000000", "continue")
            self.assertIn("Could not insert hardware watchpoint 2", printed)


class Clients(unittest.TestCase):
    """Connections that are not gdb's, or that end within a packet."""

    CUT = (b"x", b"$", b"$m8000", b"$c#6", b"$#", b"$" + b"a" * 5000, b"$M80000000,4:0102", b"+$?#3", b"\xff$\x03")

    @staticmethod
    def run_on(guest):
        client = socket.create_connection(("127.0.0.1", guest.port))
        client.settimeout(SECONDS)
        client.sendall(b"$c#63")
        while b"+" not in client.recv(1):
            pass
        return client

    def test_a_cut_packet_does_not_stop_time(self):
        for cut in self.CUT:
            with self.subTest(cut=cut[:20]), Guest("guest32", "time") as guest, self.run_on(guest) as client:
                client.sendall(cut)
                self.assertEqual(guest.end(), plain("guest32", "time"))

    def test_nor_does_it_stop_the_timeout(self):
        for cut in self.CUT:
            options = ["--timeout-us", "20000"]
            with self.subTest(cut=cut[:20]), Guest("guest32", "loop", options=options) as guest:
                with self.run_on(guest) as client:
                    client.sendall(cut)
                    code, _, err = guest.end()
                self.assertEqual(code, 3)
                self.assertIn("timeout after 20000 us of simulated time", err)

    def test_packets_without_a_text(self):
        for packets in (b"$#00", b"$#00$#00$#00", b"$c#00$#00"):
            with self.subTest(packets=packets), Guest("guest32", "time") as guest, self.run_on(guest) as client:
                client.sendall(packets)
                self.assertEqual(guest.end(), plain("guest32", "time"))

    def test_the_rest_may_come_late(self):
        with Guest("guest32", "loop") as guest, self.run_on(guest) as client:
            client.sendall(b"$m8000")
            time.sleep(0.5)
            client.sendall(b"0000,4#")
            time.sleep(0.5)
            client.sendall(b"%02x" % (sum(b"m80000000,4") % 256))
            client.sendall(b"\x03")
            received = b""
            while b"$S02#" not in received:
                received += client.recv(4096)
            client.sendall(b"$k#6b")
            self.assertEqual(guest.end()[0], 3)

    def test_a_new_packet_ends_one_that_was_cut(self):
        with Guest("guest32", "time") as guest, socket.create_connection(("127.0.0.1", guest.port)) as client:
            client.settimeout(SECONDS)
            client.sendall(b"$m8000$?#3f")
            received = b""
            while received.count(b"#") < 1:
                received += client.recv(4096)
            self.assertIn(b"+$S05#", received)
            client.sendall(b"$c#63")
            self.assertEqual(guest.end(), plain("guest32", "time"))

    def test_numbers_that_are_none(self):
        with Guest("guest32", "time") as guest, socket.create_connection(("127.0.0.1", guest.port)) as client:
            client.settimeout(SECONDS)
            packets = (b"m", b"m-1,4", b"m 80000000,4", b"m0x80000000,4", b"m80000000", b"m10000000080000000,4",
                       b"M80000000,3:01020304", b"Z0", b"Z2,80000000,0", b"Z3,80000000,ffffffffffffffff", b"pz", b"P")
            for packet in packets:
                client.sendall(b"$" + packet + b"#%02x" % (sum(packet) % 256))
                received = b""
                while received.count(b"#") < 1 or len(received.split(b"#")[-1]) < 2:
                    received += client.recv(4096)
                self.assertEqual(received, b"+$E01#a6", packet)
            client.sendall(b"$c#63")
            self.assertEqual(guest.end(), plain("guest32", "time"))


class Port(unittest.TestCase):
    def test_one_in_use_is_bad_input(self):
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            taken.listen()
            port = taken.getsockname()[1]
            run = subprocess.run([OPTIONS.mxe_run, "run", f"{OPTIONS.firmware}/guest32.elf", "--gdb", str(port)],
                                 capture_output=True, text=True, timeout=SECONDS, check=False)
        self.assertEqual(run.returncode, 2)
        self.assertEqual(run.stderr, f"mxe run: cannot listen for gdb on 127.0.0.1:{port}: Address already in use\n")

    def test_nobody_else_is_let_in(self):
        with Guest("guest32", "time") as guest:
            self.assertRaises(OSError, socket.create_connection, ("127.0.0.2", guest.port), 5)

    def test_garbage_is_no_harm(self):
        with Guest("guest32", "time") as guest:
            with socket.create_connection(("127.0.0.1", guest.port)) as gdb:
                for packet in (b"", b"m", b"mzz,", b"m0,ffffffffffffffff", b"M80000000,4:0", b"Pff=0", b"G1", b"Z9,0,0",
                               b"qXfer:features:read:target.xml:ffff,1", b"\xff\x00"):
                    gdb.sendall(b"$" + packet + b"#%02x" % (sum(packet) % 256))
                gdb.sendall(b"noise$c#00$c#63")
                gdb.settimeout(SECONDS)
                received = b""
                while b"$W00#" not in received:
                    received += gdb.recv(4096)
            self.assertEqual(guest.end(), plain("guest32", "time"))
            self.assertIn(b"$E01#", received)
            self.assertIn(b"-", received)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--mxe-run", required=True)
    parser.add_argument("--firmware", required=True)
    parser.add_argument("--gdb", required=True)
    _, rest = parser.parse_known_args(namespace=OPTIONS)
    unittest.main(argv=[sys.argv[0], *rest])


if __name__ == "__main__":
    main()
