// A program whose children end by exit(): it writes by std::cout without sync, a global std::ofstream and an exit handler, and has
// static objects. Started by fork.sh, which reads what the children wrote.
//
//   fork FOLDER CHILDREN
#include <cstdlib>
#include <dlfcn.h>
#include <fstream>
#include <iostream>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

extern "C" void dgemm_(const char *, const char *, const int *, const int *, const int *, const double *, const double *, const int *,
                       const double *, const int *, const double *, double *, const int *);

namespace {

std::ofstream results;
std::string folder;
int number; // of the child; 0: the parent

double multiply(int n) {
    const auto count = static_cast<std::size_t>(n) * static_cast<std::size_t>(n);
    std::vector<double> a(count, 1), b(count, 2), c(count, -1);
    const double one = 1, zero = 0;
    dgemm_("N", "T", &n, &n, &n, &one, a.data(), &n, b.data(), &n, &zero, c.data(), &n);
    return c.back();
}

void append(const char *name) {
    if (number > 0)
        std::ofstream(folder + "/" + name, std::ios::app) << number << "\n";
}

struct Ending {
    ~Ending() { append("destructor"); }
} ending;

void handle_exit() {
    append("handler");
}

// In mode auto a driver is loaded by this.
void wait_for_device() {
    if (void *found = dlsym(RTLD_DEFAULT, "lavablas_wait"))
        reinterpret_cast<int (*)(const char **)>(found)(nullptr);
}

void handle_late_exit() {
    append("late");
}

[[noreturn]] void end_child(int child) {
    number = child;
    setenv("GCOV_PREFIX", (folder + "/counts").c_str(), 1); // the children's counters alone
    results.open(folder + "/results" + std::to_string(child));
    results << "result " << (child % 2 ? multiply(200) : 400) << "\n";
    std::cout << "output " << child << "\n";
    if (child == 3) { // a child of the child
        const pid_t id = fork();
        if (id == 0)
            end_child(1000);
        int status = 0;
        waitpid(id, &status, 0);
        std::exit(WIFEXITED(status) && WEXITSTATUS(status) == 5 ? 5 : 1);
    }
    std::exit(5);
}

} // namespace

int main(int, char **arguments) {
    std::ios::sync_with_stdio(false);
    folder = arguments[1];
    std::atexit(handle_exit);
    for (int i = 0; i < 6; i++)
        multiply(400);
    wait_for_device();
    std::atexit(handle_late_exit);
    const int children = std::atoi(arguments[2]);
    int wrong = 0;
    for (int child = 1; child <= children; child++) {
        const pid_t id = fork();
        if (id == 0)
            end_child(child);
        int status = 0;
        waitpid(id, &status, 0);
        wrong += !WIFEXITED(status) || WEXITSTATUS(status) != 5;
    }
    return wrong ? 1 : 0;
}
