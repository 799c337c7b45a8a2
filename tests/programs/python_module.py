"""The Python module of the wheel (tools/python), in a process that has LavaBLAS preloaded or not. Run by python_module.sh.

    python_module.py unloaded|info|gpu|cpu|report|magic|jupyter
"""
import contextlib
import io
import json
import os
import random
import subprocess
import sys
import threading

import lavablas

FUNCTIONS = (lavablas.report, lavablas.info, lavablas.wait, lavablas.count, lavablas.precision, lavablas.measure().__enter__)


def product(rows, columns, inner, seed):
    """Multiplies numbers that are exact in fp32, by NumPy's BLAS, and checks every element."""
    import numpy

    generator = numpy.random.default_rng(seed)
    a = generator.integers(-8, 9, (rows, inner)).astype("float32")
    b = generator.integers(-8, 9, (inner, columns)).astype("float32")
    expected = numpy.einsum("ij,jk->ik", a.astype("int64"), b.astype("int64"))
    assert (a @ b == expected).all()


def test_unloaded():
    assert not lavablas.is_loaded()
    for function in FUNCTIONS:
        try:
            function()
        except lavablas.NotLoaded as error:
            assert "LD_PRELOAD=" in str(error) and "lavablas run" in str(error), error
        else:
            raise AssertionError(function)


def check_precision():
    assert lavablas.precision() == "standard"
    with lavablas.precision("ieee") as inside:
        assert lavablas.precision() == "ieee" == inside.name
        with lavablas.precision("fast"):
            assert lavablas.precision() == "fast"
        assert lavablas.precision() == "ieee" == lavablas.info()["settings"]["precision"]
        others = []
        thread = threading.Thread(target=lambda: others.append(lavablas.precision()))
        thread.start()
        thread.join()
        assert others == ["standard"], others
    lavablas.precision("fast")
    lavablas.precision("default")
    assert lavablas.precision() == "standard"
    try:
        with lavablas.precision("ieee"):
            raise KeyError
    except KeyError:
        assert lavablas.precision() == "standard"
    for wrong in ("", "double", 3):
        try:
            lavablas.precision(wrong)
        except ValueError:
            continue
        raise AssertionError(wrong)


def test_gpu():
    seed = random.randrange(1 << 30)
    print("seed", seed)
    import numpy
    import scipy.linalg.blas

    info = lavablas.info()
    assert numpy.float32 and os.path.samefile(info["library"], os.environ["LD_PRELOAD"]) and info["settings"]["mode"] == "gpu", info
    assert lavablas.wait(0).state in ("starting", "ready")
    assert lavablas.wait(120) == ("ready", "") and lavablas.wait() and lavablas.wait(0)
    info = lavablas.info()
    assert info["state"] == "ready" and "llvmpipe" in info["device"] and "llvmpipe" in info["driver"], info
    check_precision()
    with lavablas.measure() as measured:
        product(200, 120, 90, seed)
        product(200, 120, 90, seed + 1)
    assert [(row.place, row.calls, row.flops) for row in measured.rows] == [("gpu", 2, 2 * 2 * 200 * 120 * 90)], measured.rows
    row = measured.rows[0]
    assert "sgemm" in row.routine and 0 < row.seconds <= measured.seconds and row.rate > 0 and measured.calls() == 2, measured
    assert measured.up_bytes > 0, measured.up_bytes  # little: a software device reads the program's memory
    assert f"gpu {2:7} calls" in str(measured) and not measured.on_cpu(), str(measured)
    with lavablas.measure() as other, lavablas.measure() as nested:
        scipy.linalg.blas.dgemm(1.0, [[1.0, 2.0]], [[3.0], [4.0]])
    for each in (other, nested):
        assert [(row.routine, row.calls) for row in each.rows] == [("scipy_dgemm_", 1)], each.rows
    with lavablas.measure() as nothing:
        pass
    assert not nothing.rows and nothing.calls() == 0 and str(nothing), nothing
    threads = [threading.Thread(target=product, args=(64, 65, 66, seed + i)) for i in range(4)]
    with lavablas.measure() as measured:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert measured.calls("gpu") == 4, measured
    if hasattr(os, "fork"):
        child = os.fork()
        if child == 0:
            counted = lavablas.report()
            os._exit(0 if sum(row["calls"] for row in counted["calls"]) == 0 and not lavablas.wait(5) else 1)
        assert os.waitpid(child, 0)[1] == 0, "a child of fork() has its parent's counts"


def test_info():
    """Asked before NumPy is imported, the library finds NumPy's BLAS all the same, and starts no device."""
    assert lavablas.is_loaded() and lavablas.precision() == "standard" and "numpy" not in sys.modules
    info = lavablas.info()
    assert (info["state"], info["device"], info["driver"]) == ("unused", None, None) and info["reason"], info
    assert "numpy" in info["cpu_blas"] and info["settings"]["mode"] == "auto" and info["settings"]["idle"] == 10, info


def test_cpu():
    state = lavablas.wait(5)
    assert not state and state.state == "never" and state.reason, state
    import numpy

    lavablas.count()
    with lavablas.measure() as measured:
        assert numpy.float32
        for i in range(300):
            product(3, 4, 5, i)
        product(150, 140, 130, 1)
    assert measured.calls("gpu") == 0 and measured.calls("cpu") == 301, measured.rows
    assert sum(row.flops for row in measured.rows) == 2 * (300 * 60 + 150 * 140 * 130), measured.rows
    assert sum(measured.on_cpu().values()) == 301 and all(measured.on_cpu()), measured.on_cpu()


def test_report():
    """The last report and the line that the process adds to the file at exit have the same keys and counts."""
    import numpy

    if len(sys.argv) > 2:
        earlier = sum(row["calls"] for row in lavablas.report()["calls"])
        product(100, 101, 102, 7)
        counted = lavablas.report()
        assert sum(row["calls"] for row in counted["calls"]) == earlier + 1 and numpy.float32
        assert counted["pid"] == os.getpid() and counted["objects"] and all(counted["objects"])
        print(json.dumps(counted))
        return
    file = os.path.join(os.environ["FOLDER"], "own.json")
    own = json.loads(subprocess.run([sys.executable, __file__, "report", "child"], env={**os.environ, "LAVABLAS_STATS": file},
                                    check=True, stdout=subprocess.PIPE).stdout)
    with open(file, encoding="utf-8") as lines:
        told = json.loads(lines.read())
    assert own.keys() == told.keys(), own.keys() ^ told.keys()
    for key in ("lavablas", "calls", "shapes", "under", "small"):
        assert own[key] == told[key] and own[key] is not None, key


def run_cells(*cells):
    from IPython.core.interactiveshell import InteractiveShell

    shell = InteractiveShell.instance()
    shell.run_line_magic("load_ext", "lavablas")
    output = io.StringIO()
    with contextlib.redirect_stdout(output):
        for cell in cells:
            shell.run_cell(cell)
    return shell.user_ns, output.getvalue()


def test_magic():
    code = "%%lavablas ieee\na = numpy.ones((130, 131)); kept = lavablas.precision() if lavablas.is_loaded() else 'none'\nb = a @ a.T"
    names, text = run_cells("import numpy, lavablas", code, "%lavablas c = a @ a.T @ b", "%%lavablas\n1 / 0")
    assert (names["b"] == 131).all() and names["c"].shape == (130, 130), text
    if not lavablas.is_loaded():
        assert text.count("LD_PRELOAD=") == 3 and names["kept"] == "none", text
        return
    assert "1 calls on the GPU, 0 on the CPU" in text and "2 calls on the GPU" in text and "ZeroDivisionError" in text, text
    assert names["kept"] == "ieee" and lavablas.precision() == "standard"


def jupyter(*arguments, data=None, status=0, path=""):
    environment = {**os.environ, "JUPYTER_DATA_DIR": data or os.environ["FOLDER"],
                   "PYTHONPATH": os.pathsep.join([os.environ["PYTHONPATH"], path])}
    ended = subprocess.run([sys.executable, "-m", "lavablas", "jupyter", *arguments], env=environment, stdout=subprocess.PIPE,
                           stderr=subprocess.STDOUT, check=False, universal_newlines=True)
    assert ended.returncode == status, (arguments, ended)
    return ended.stdout


def test_jupyter():
    folder = os.environ["FOLDER"]
    stub = os.path.join(folder, "stub")
    os.makedirs(os.path.join(stub, "ipykernel"))
    with open(os.path.join(stub, "ipykernel", "__init__.py"), "w", encoding="utf-8"):
        pass
    kernel = os.path.join(folder, "kernels", "lavablas")
    assert "pip install ipykernel" in jupyter(status=1) or os.path.exists(kernel)
    assert kernel in jupyter(path=stub) and kernel in jupyter(path=stub)
    with open(os.path.join(kernel, "kernel.json"), encoding="utf-8") as file:
        spec = json.load(file)
    assert spec["argv"][0] == sys.executable and os.path.exists(spec["env"]["LD_PRELOAD"]), spec
    # With the kernel's environment the module finds the library.
    subprocess.run([sys.executable, "-c", "import lavablas; assert lavablas.is_loaded()"], env={**os.environ, **spec["env"]}, check=True)
    foreign = os.path.join(folder, "kernels", "python3")
    os.makedirs(foreign)
    with open(os.path.join(foreign, "kernel.json"), "w", encoding="utf-8") as file:
        file.write('{"argv": []}')
    for arguments in (("--name", "python3"), ("--name", "python3", "--uninstall"), ("--name", "none", "--uninstall"), ("--name", "../x")):
        jupyter(*arguments, status=1, path=stub)
    assert os.listdir(foreign) == ["kernel.json"]
    assert "removed" in jupyter("--uninstall") and not os.path.exists(kernel)
    own = os.path.join(sys.prefix, "share", "jupyter", "kernels", "lavablas-test")
    assert own in jupyter("--sys-prefix", "--name", "lavablas-test", path=stub) and os.path.exists(own)
    jupyter("--sys-prefix", "--name", "lavablas-test", "--uninstall")
    assert not os.path.exists(own)


globals()[f"test_{sys.argv[1]}"]()
