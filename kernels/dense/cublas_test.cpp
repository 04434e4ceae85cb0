// SPDX-License-Identifier: MIT
#include "kernels/dense/cublas.hpp"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <limits>
#include <map>
#include <stdexcept>

#include "kernels/dense/cublas_places.hpp"

namespace bellwether {
namespace {

namespace fs = std::filesystem;
using Environment = std::map<std::string, std::string>;

const fs::path good = fs::path(FAKE_CUBLAS_FOLDER) / "good";
const fs::path broken = fs::path(FAKE_CUBLAS_FOLDER) / "broken";

std::string failure(const std::vector<std::string>& files) {
  try {
    const Cublas cublas(files);
    return "loaded " + cublas.library();
  } catch (const std::runtime_error& error) {
    return error.what();
  }
}

/// A folder that stands for "/".
class Places : public testing::Test {
 protected:
  void SetUp() override { fs::remove_all(root_); }
  void TearDown() override { fs::remove_all(root_); }

  std::string file(const std::string& path) {
    const fs::path made = root_ / path;
    fs::create_directories(made.parent_path());
    std::ofstream(made) << "no library";
    return made;
  }
  /// Less the bare names that they begin with.
  [[nodiscard]] std::vector<std::string> files(const Environment& environment = {}) const {
    auto all = detail::cublas_files(
        [&](const char* name) {
          const auto found = environment.find(name);
          return found == environment.end() ? nullptr : found->second.c_str();
        },
        root_);
    EXPECT_EQ(std::vector(all.begin(), all.begin() + 3),
              (std::vector<std::string>{"libcublas.so.13", "libcublas.so.12", "libcublas.so"}));
    all.erase(all.begin(), all.begin() + 3);
    return all;
  }
  [[nodiscard]] std::string in_root(const char* path) const { return root_ / path; }

 private:
  const fs::path root_ = fs::temp_directory_path() / ("cublas_test_" + std::to_string(::getpid()));
};

TEST_F(Places, NoneWhereNothingIsInstalled) {
  file("usr/local/cuda/lib64/libcudart.so.13");
  EXPECT_EQ(files(), std::vector<std::string>{});
  EXPECT_EQ(files({{"CUDA_HOME", in_root("none")}, {"CUDA_PATH", ""}}), std::vector<std::string>{});
}

TEST_F(Places, TheLatestVersionComesFirst) {
  const auto twelve = file("usr/local/cuda-12.6/lib64/libcublas.so.12");
  const auto nine = file("usr/local/cuda-9.2/lib64/libcublas.so");
  const auto ten = file("usr/local/cuda-10.1/lib64/libcublas.so");
  const auto thirteen = file("usr/local/cuda-13.0/targets/sbsa-linux/lib/libcublas.so.13");
  EXPECT_EQ(files(), (std::vector{thirteen, twelve, ten, nine}));
}

TEST_F(Places, ANamedToolkitComesBeforeAnInstalledOne) {
  const auto installed = file("usr/local/cuda/lib64/libcublas.so.13");
  const auto sdk = file("opt/nvidia/hpc_sdk/Linux_x86_64/25.9/math_libs/lib64/libcublas.so.13");
  const auto wheel =
      file("usr/local/lib/python3.12/dist-packages/nvidia/cublas/lib/libcublas.so.13");
  const auto home = file("home/cuda/lib64/libcublas.so.13");
  const auto target = file("path/targets/x86_64-linux/lib/libcublas.so.13");
  const auto nvhpc = file("nvhpc/math_libs/13.0/lib64/libcublas.so.13");
  const auto conda = file("conda/lib/libcublas.so.13");
  const auto venv = file("venv/lib/python3.11/site-packages/nvidia/cu13/lib/libcublas.so.13");
  EXPECT_EQ(files(), (std::vector{installed, sdk, wheel}));
  EXPECT_EQ(files({{"CUDA_HOME", in_root("home/cuda")},
                   {"CUDA_PATH", in_root("path")},
                   {"NVHPC_ROOT", in_root("nvhpc")},
                   {"CONDA_PREFIX", in_root("conda")},
                   {"VIRTUAL_ENV", in_root("venv")}}),
            (std::vector{home, target, nvhpc, conda, venv, installed, sdk, wheel}));
  // A file comes once, whatever its names.
  fs::create_symlink("libcublas.so.13", in_root("usr/local/cuda/lib64/libcublas.so"));
  fs::create_directory_symlink("cuda", in_root("usr/local/cuda-13.0"));
  EXPECT_EQ(files({{"CUDA_HOME", in_root("usr/local/cuda")}}),
            (std::vector{installed, sdk, wheel}));
}

TEST(CublasLibrary, IsTheFirstThatStarts) {
  const std::string file = fs::canonical(good / "libcublas.so");
  EXPECT_EQ(Cublas({good / "libcublas.so"}).library(), file + " (13.2.3)");
  EXPECT_EQ(Cublas({"libcublas.so.0", broken / "libcublas.so", good / "libcublas.so"}).library(),
            file + " (13.2.3)");
}

TEST_F(Places, SayWhatIsWrongWithEachThatIsThere) {
  const std::string none =
      "cuBLAS cannot be loaded: no libcublas.so.13, .so.12 or .so on LD_LIBRARY_PATH, where "
      "CUDA_HOME names a toolkit, or in the usual places";
  EXPECT_EQ(failure({"libcublas.so.0", "/nowhere/libcublas.so.0"}), none);
  const std::string fails = broken / "libcublas.so";
  EXPECT_EQ(failure({"libcublas.so.0", fails}),
            none + "; " + fails + ": cuBLAS: cublasCreate failed with status 1");
  // The C library is one, but not cuBLAS.
  EXPECT_EQ(failure({"libc.so.6"}), none + "; libc.so.6: has no function cublasSetStream_v2");
  const std::string text = file("libcublas.so");
  EXPECT_EQ(failure({text}).rfind(none + "; " + text + ": ", 0), 0u) << failure({text});
}

TEST(CublasLibrary, MultipliesColumns) {
  Cublas cublas({good / "libcublas.so"});
  int stream = 0;
  const std::vector<double> a{1, 2, 3, 4}, b{5, 6, 7, 8};
  std::vector<double> c(4, 99);
  cublas.gemm(2, a.data(), b.data(), c.data(), &stream);
  EXPECT_EQ(c, (std::vector<double>{23, 34, 31, 46}));
  const std::vector<float> one{1, 0, 0, 1}, d{1, 2, 3, 4};
  std::vector<float> e(4, 99);
  cublas.gemm(2, one.data(), d.data(), e.data(), &stream);
  EXPECT_EQ(e, d);
  EXPECT_THROW(cublas.gemm(2, one.data(), d.data(), e.data(), nullptr), std::runtime_error);
}

TEST(CublasLibrary, SubtractsAProductAndSolvesFromTheLeft) {
  Cublas cublas({good / "libcublas.so"});
  int stream = 0;
  // Columns of a gap each: A is 2 x 1, B 1 x 2, C 2 x 2.
  const std::vector<double> a{2, 3, 99}, b{5, 99, 7};
  std::vector<double> c{100, 200, 99, 300, 400};
  cublas.subtract_product(2, 2, 1, a.data(), 3, b.data(), 2, c.data(), 3, &stream);
  EXPECT_EQ(c, (std::vector<double>{90, 185, 99, 286, 379}));
  // L = (1 0, 3 1).
  const std::vector<double> l{99, 3, 99, 98, 99};
  std::vector<double> x{1, 5, 99, 2, 2};
  cublas.solve_from_left(2, 2, l.data(), 3, x.data(), 3, &stream);
  EXPECT_EQ(x, (std::vector<double>{1, 2, 99, 2, -4}));
}

TEST(CublasLibrary, MultipliesAndSolvesTransposed) {
  Cublas cublas({good / "libcublas.so"});
  int stream = 0;
  // Columns of a gap each: A is 1 x 2, B 3 x 2, C 1 x 3.
  const std::vector<double> a{2, 99, 3}, b{1, 2, 3, 99, 4, 5, 6};
  std::vector<double> c{1, 99, 1, 99, 1};
  cublas.multiply_transposed(1, 3, 2, -1, a.data(), 2, b.data(), 4, 1, c.data(), 2, &stream);
  EXPECT_EQ(c, (std::vector<double>{1 - 14, 99, 1 - 19, 99, 1 - 24}));
  // L = (2 0, 3 4): as a unit triangle in B L^-T, with its diagonal in L^-T x.
  const std::vector<double> l{2, 3, 99, 98, 4};
  std::vector<double> rows{1, 2, 99, 5, 6};
  cublas.solve_from_right(2, 2, l.data(), 3, rows.data(), 3, &stream);
  EXPECT_EQ(rows, (std::vector<double>{1, 2, 99, 2, 0}));
  std::vector<double> x{10, 8};
  cublas.solve_transposed(2, l.data(), 3, x.data(), &stream);
  EXPECT_EQ(x, (std::vector<double>{2, 2}));
  // A = (1 4, 2 5, 3 6) of B's columns.
  const std::vector<double> factor{1, 10, 100};
  std::vector<double> y{1000, 1000};
  cublas.subtract_transposed(3, 2, b.data(), 4, factor.data(), y.data(), &stream);
  EXPECT_EQ(y, (std::vector<double>{1000 - 321, 1000 - 654}));
  EXPECT_THROW(cublas.solve_transposed(2, l.data(), 3, x.data(), nullptr), std::runtime_error);
}

/// Handles of the good library that live now.
int live_handles() {
  void* const library = dlopen((good / "libcublas.so").c_str(), RTLD_NOW | RTLD_LOCAL);
  auto* const count = reinterpret_cast<int (*)()>(dlsym(library, "fake_cublas_handles"));
  return count();
}

TEST(CublasLibrary, EachStreamHasAHandle) {
  const int before = live_handles();
  {
    Cublas cublas({good / "libcublas.so"});
    EXPECT_EQ(live_handles(), before + 1);
    int first = 0, second = 0;
    cublas.prepare(&first);
    EXPECT_EQ(live_handles(), before + 1);
    const std::vector<double> a{2}, b{3};
    std::vector<double> c{0};
    for (int n = 0; n < 2; ++n)
      for (int* const stream : {&first, &second}) {
        cublas.gemm(1, a.data(), b.data(), c.data(), stream);
        EXPECT_EQ(c[0], 6);
      }
    EXPECT_EQ(live_handles(), before + 2);
  }
  EXPECT_EQ(live_handles(), before);
}

TEST(CublasLibrary, RefusesWhatIntCannotCount) {
  Cublas cublas({good / "libcublas.so"});
  int stream = 0;
  const long most = std::numeric_limits<int>::max();
  const double a = 2, b = 3;
  double c = 1;
  cublas.multiply_transposed(1, 1, 1, 1, &a, most, &b, most, 1, &c, most, &stream);
  EXPECT_EQ(c, 7);
  EXPECT_THROW(cublas.multiply_transposed(1, 1, 1, 1, &a, most + 1, &b, 1, 1, &c, 1, &stream),
               std::length_error);
  EXPECT_THROW(cublas.solve_transposed(1, &a, most + 1, &c, &stream), std::length_error);
  EXPECT_THROW(cublas.gemm(most + 1, &a, &b, &c, &stream), std::length_error);
  EXPECT_EQ(c, 7);
}

}  // namespace
}  // namespace bellwether
