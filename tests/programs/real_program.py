#!/usr/bin/env python3
"""Builds a program that the project did not write with nothing but CC=mpisimcc, and runs it.

usage: real_program.py --build BUILD --root ROOT --work FOLDER

The program is Tachyon, a parallel ray tracer of some 16,000 lines of C with makefiles of its own (a library archive, a
program on top, MPI with persistent requests and polling). Its source is that of the Debian package, fetched by `apt-get
source` with package lists of its own in FOLDER; the system's are not touched. Exits with 77 (skipped) where there is no
apt-get or the registry is out of reach. DEBIAN_MIRROR names another registry than deb.debian.org.

Checks that the image is the same, byte for byte, on several rank counts and machines, and with Open MPI.
"""
import argparse
import glob
import hashlib
import os
import shutil
import sys

from programs import SKIPPED, Failure, Native, Simulator, must_run, run

PACKAGE = "tachyon"
KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg"
SCENE = "scenes/2balls.dat"

# What the program's own target for Linux with MPI sets, apart from CC.
MAKE_VARIABLES = ("ARCH=linux-mpi", "CFLAGS=-O2 -DLinux -DMPI -DUSE_MPI_IN_PLACE", "AR=ar", "ARFLAGS=r", "RANLIB=ranlib",
                  "STRIP=true", "LIBS=-L. -ltachyon -lm")


class OutOfReach(Exception):
    pass


def fetch(work):
    """Returns the archive with the program's source, fetched once."""
    found = glob.glob(os.path.join(work, PACKAGE + "_*.orig.tar.*"))
    if found:
        return found[0]
    if shutil.which("apt-get") is None or not os.path.exists(KEYRING):
        raise OutOfReach("no apt-get with Debian's keys on this machine")
    for folder in ("sources", "lists/partial", "cache/archives/partial"):
        os.makedirs(os.path.join(work, folder), exist_ok=True)
    with open(os.path.join(work, "sources", "debian.sources"), "w", encoding="utf-8") as file:
        file.write(f"Types: deb-src\nURIs: {os.environ.get('DEBIAN_MIRROR', 'http://deb.debian.org/debian')}\n"
                   f"Suites: bookworm\nComponents: main\nSigned-By: {KEYRING}\n")
    options = ["Dir::Etc::sourcelist=/dev/null", f"Dir::Etc::sourceparts={work}/sources", f"Dir::State::lists={work}/lists",
               f"Dir::Cache={work}/cache", "Acquire::Languages=none", "Acquire::Retries=1", "Acquire::http::Timeout=15",
               "APT::Update::Error-Mode=any"]
    apt = ["apt-get", "-q"] + [part for option in options for part in ("-o", option)]
    for arguments in (["update"], ["source", "--download-only", "--tar-only", PACKAGE]):
        try:
            status, _, err = run(apt + arguments, 120, cwd=work)
        except Failure as failure:
            raise OutOfReach(str(failure))
        if status != 0:
            raise OutOfReach(err.strip())
    found = glob.glob(os.path.join(work, PACKAGE + "_*.orig.tar.*"))
    if not found:
        raise OutOfReach(f"apt-get brought no archive of {PACKAGE}")
    return found[0]


def build(archive, folder, compiler):
    """Unpacks the source and runs its makefile with CC=compiler; returns the source's folder."""
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    must_run(["tar", "xf", archive, "--strip-components=1"], cwd=folder)
    must_run(["make", "-j2", "all", "CC=" + compiler, *MAKE_VARIABLES], limit=600, cwd=os.path.join(folder, "unix"))
    program = os.path.join(folder, "compile", "linux-mpi", "tachyon")
    if not os.path.exists(program):
        raise Failure(f"the makefile left no {program}")
    return program


def image_of(path):
    with open(path, "rb") as file:
        image = file.read()
    os.remove(path)
    if not image.startswith(b"P6") or len(image) < 64 * 48 * 3 or len(set(image)) < 20:
        raise Failure(f"{path} is no image of the scene")
    return hashlib.sha256(image).hexdigest()


def check(options):
    archive = fetch(options.work)
    simulator = Simulator(options.build, os.path.join(options.root, "configs"), options.work)
    program = build(archive, os.path.join(options.work, "simulated"), simulator.compiler)
    scene = os.path.join(options.work, "simulated", SCENE)
    image = os.path.join(options.work, "image.ppm")
    arguments = [scene, "-res", "64", "48", "-format", "PPM", "-o", image]
    images = {}
    for machine, ranks in (("sp2", 1), ("sp2", 4), ("cluster", 9), ("paragon", 16)):
        _, report = simulator.simulate(program, arguments, machine, ranks, ["--compute", "counted"])
        images[f"{ranks} ranks of {machine}"] = image_of(image)
        print(f"{ranks} ranks of {machine}: {report['predicted_time_s']:.6g} s, {report['messages']} messages")
    native = Native(options.work)
    if native.found:
        binary = build(archive, os.path.join(options.work, "native"), native.compiler)
        native.execute(binary, arguments, 4)
        images["Open MPI"] = image_of(image)
    if len(set(images.values())) != 1:
        raise Failure("images differ: " + ", ".join(f"{where}: {digest[:12]}" for where, digest in images.items()))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", required=True)
    parser.add_argument("--root", required=True)
    parser.add_argument("--work", required=True)
    options = parser.parse_args()
    os.makedirs(options.work, exist_ok=True)
    try:
        check(options)
    except OutOfReach as reason:
        print(f"skipped: the source of {PACKAGE} is out of reach: {reason}")
        return SKIPPED
    except Failure as failure:
        print(failure, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
