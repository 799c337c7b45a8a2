"""The table of programs that compare runs: sizes, the difference that results may have, and what else to expect.

One row is one program in one language. Its file follows from both; see compare.
"""
from dataclasses import dataclass


@dataclass(frozen=True)
class Program:
    """One row. A set of sizes is a command line, or several with | between them."""
    language: str
    name: str
    tiny: str  # for a software device; tests run it
    small: str  # for a machine with few cores
    usual: str  # 1 to 10 s on 16 cores
    short: str  # 1 to 2 s there, for many repeats
    tolerance: float  # largest difference between results, relative to the largest value of its line
    threads: int = 1  # that multiply at the same time; 0: as many as there are processors


# Results contain sums of thousands of numbers in another order, and later steps amplify the differences. A tolerance
# is at least ten times the largest difference that was observed between OpenBLAS's kernels for Zen, Sandy Bridge and
# Nehalem, between one thread and two, and between OpenBLAS and lavapipe, at tiny and small sizes. The short sizes follow from the
# usual ones' times on 16 cores of Sapphire Rapids (doc/benchmarks.md, 2026-11-25 and 26) by the operations; Octave's and R's are guesses.
#            language        name                tiny                 small                  usual                                       short                                      tolerance
PROGRAMS = (
    Program("C",            "pca",              "2000 200",          "20000 784",           "60000 784|50000 4096",                     "50000 4096",                              1e-6),
    Program("C",            "mlp",              "256 100 200 10 10", "512 784 1024 10 20",  "512 784 1024 10 200|4096 1024 4096 10 20", "512 784 1024 10 200|4096 1024 4096 10 4", 1e-4),
    Program("C",            "kmeans",           "9000 32 64 5",      "50000 128 256 10",    "100000 128 1024 10|50000 768 4096 10",     "100000 128 1024 6|50000 768 4096 2",      1e-6),
    Program("C",            "inverse",          "300 16",            "1024 16",             "2048 16|4096 16",                          "2048 32|4096 6",                          1e-5),
    Program("C",            "cholesky",         "500 128",           "3000 256",            "12288 256",                                "10240 256",                               1e-10),
    Program("NumPy",        "pca",              "2000 200",          "20000 784",           "60000 784|50000 2048",                     "60000 784|50000 2048",                    1e-6),
    Program("NumPy",        "mlp",              "256 100 200 10 10", "512 784 1024 10 20",  "512 784 1024 10 200|4096 1024 4096 10 20", "512 784 1024 10 100|4096 1024 4096 10 3", 1e-4),
    Program("NumPy",        "kmeans",           "9000 32 64 5",      "50000 128 256 10",    "100000 128 1024 10|50000 768 4096 10",     "100000 128 1024 5|50000 768 4096 2",      1e-6),
    Program("NumPy",        "ridge",            "1200 100 20 3",     "20000 500 100 5",     "50000 3000 512 5",                         "40000 2000 512 5",                        1e-6),
    Program("NumPy",        "gaussian_process", "300 8 100",         "1500 16 500",         "6000 64 4000",                             "4000 64 3000",                            1e-9),
    Program("NumPy",        "neighbours",       "3000 32 1500 5",    "20000 256 2048 10",   "60000 1024 4096 10",                       "60000 1024 4096 10",                      1e-6),
    Program("NumPy",        "product",          "300",               "3000",                "8192|16384",                               "8192",                                    5e-5),
    Program("NumPy",        "products",         "3 200",             "12 1024",             "12 4096",                                  "12 4096",                                 5e-5),
    Program("NumPy",        "gru",              "2 8 16 64 32",      "2 32 64 256 256",     "20 64 128 1024 512",                       "12 64 128 1024 512",                      1e-5),
    Program("NumPy",        "threads",          "256 4",             "1024 20",             "2048 150",                                 "2048 40",                                 1e-6, threads=4),
    Program("NumPy",        "krylov",           "600 400 16 3",      "4000 2000 64 5",      "16384 8192 128 10",                        "16384 8192 128 4",                        5e-5),
    Program("NumPy",        "power",            "200 10",            "2000 50",             "8192 400|16384 100",                       "8192 300|16384 60",                       1e-10),
    Program("NumPy",        "kalman",           "96 32 4",           "512 128 15",          "1024 256 100",                             "1024 256 50",                             1e-10),
    Program("NumPy",        "tracking",         "30 10",             "1000 30",             "3000 30",                                  "3000 30",                                 1e-10),
    Program("SciPy",        "expm",             "100 3",             "500 10",              "1500 12",                                  "1100 12",                                 1e-10),
    Program("SciPy",        "purification",     "120 14",            "600 14",              "3000 20",                                  "2048 20",                                 1e-10),
    Program("SciPy",        "stiff",            "100 2 5",           "1500 4 10",           "5000 5 10",                                "5000 2 10",                               1e-10),
    Program("SciPy",        "gmres",            "200 2",             "2000 4",              "8192 8|16384 4",                           "8192 4|16384 1",                          1e-7),
    Program("SciPy",        "eigsh",            "150 3",             "1500 4",              "8192 6|16384 4",                           "8192 2|16384 1",                          1e-9),
    Program("scikit-learn", "mlp",              "600 40 50 200 5",   "4096 512 512 1024 3", "20480 1024 1024 2048 5",                   "20480 1024 1024 2048 2",                  1e-4),
    Program("scikit-learn", "pca",              "500 200 16",        "5000 1000 32",        "50000 4000 100",                           "20000 4000 100",                          2e-5),
    Program("scikit-learn", "kmeans",           "3000 16 20 5",      "20000 64 128 10",     "200000 256 256 20",                        "200000 256 256 20",                       1e-6, threads=0),
    Program("scikit-learn", "ridge",            "800 50 8",          "10000 500 100",       "40000 3000 256",                           "40000 3000 256",                          1e-5),
    Program("scikit-learn", "kernel_ridge",     "300 8 100",         "2000 64 500",         "8000 500 8000",                            "6000 500 6000",                           1e-10),
    Program("scikit-learn", "neighbours",       "2000 16 500 5",     "20000 64 1000 10",    "100000 256 10000 10",                      "100000 256 10000 10",                     1e-6, threads=0),
    Program("scikit-learn", "nmf",              "400 200 10 20",     "4000 1000 32 20",     "20000 4000 64 40",                         "20000 4000 64 30",                        5e-5),
    Program("Octave",       "inverse",          "300 16",            "1024 16",             "2048 16|4096 16",                          "2048 32|4096 6",                          1e-5),
    Program("Octave",       "network",          "200 100 80 20 10",  "1000 500 500 100 10", "8192 2048 4096 512 10",                    "8192 2048 4096 512 5",                    1e-6),
    Program("R",            "ridge",            "800 60 20",         "10000 400 100",       "40000 3000 800",                           "40000 3000 800",                          1e-10),
    Program("R",            "pca",              "800 60",            "10000 400",           "40000 1500",                               "40000 1000",                              1e-10),
)
