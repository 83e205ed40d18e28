"""The calibration kernel is a plain loop in the shared library as well: nothing in it asks for thread-local addresses.

usage: check_kernel.py ARCHIVE
"""
import subprocess
import sys

member, found = "", False
for line in subprocess.run(["nm", sys.argv[1]], check=True, capture_output=True, text=True).stdout.splitlines():
    if line.endswith(":"):
        member = line
    elif "calibration_kernel" in member:
        found = True
        if "__tls_get_addr" in line:
            sys.exit("calibration_kernel.cpp asks for a thread-local address: in a shared library that is a call, "
                     "in every iteration, and hosts would seem slower than they are")
if not found:
    sys.exit(f"{sys.argv[1]} has no calibration_kernel")
