"""crash.py COMMAND...: starts the command, kills it with SIGSEGV, exits with its status."""

import signal
import subprocess
import sys
import time

process = subprocess.Popen(sys.argv[1:], stdin=subprocess.PIPE)
# Until the tool waits for its input, its handlers may not be in place.
deadline = time.monotonic() + 60
while time.monotonic() < deadline:
    with open("/proc/%d/wchan" % process.pid) as wchan, open("/proc/%d/stat" % process.pid) as stat:
        waits = wchan.read()
        state = stat.read().rsplit(")", 1)[1].split()[0]
    if "pipe_read" in waits or (waits in ("", "0") and state == "S"):
        break
    time.sleep(0.01)
time.sleep(0.2)
process.send_signal(signal.SIGSEGV)
process.stdin.close()
sys.exit(process.wait() != 0)
