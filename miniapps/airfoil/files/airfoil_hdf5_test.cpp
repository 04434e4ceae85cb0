// SPDX-License-Identifier: MIT
#include <cmath>
#include <limits>

#include "kernels/launch/backend_test.hpp"
#include "miniapps/airfoil/files/airfoil_files.hpp"
#include "miniapps/airfoil/files/airfoil_files_test.hpp"
#include "miniapps/airfoil/files/hdf5_file.hpp"

namespace bellwether {
namespace {

using hdf5::Handle;

/// One rank's own view of a file, as other programs have it.
class AirfoilHdf5 : public AirfoilFiles {
 protected:
  /// A good mesh of 6 cells, on which rank 0 then works.
  void make(const std::function<void(hid_t)>& change) const {
    write_airfoil(world(), generate({1, 2}), path("mesh.h5"));
    if (rank() == 0) {
      const Handle file(H5Fopen(path("mesh.h5").c_str(), H5F_ACC_RDWR, H5P_DEFAULT), H5Fclose);
      ASSERT_TRUE(file.valid());
      change(file.id());
    }
    MPI_Barrier(world());
  }
  template <class T>
  static void replace(hid_t file, const char* name, const std::vector<hsize_t>& extent, hid_t type,
                      const std::vector<T>& values) {
    H5Ldelete(file, name, H5P_DEFAULT);
    const Handle space(H5Screate_simple(static_cast<int>(extent.size()), extent.data(), nullptr),
                       H5Sclose);
    const Handle dataset(
        H5Dcreate2(file, name, type, space.id(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Dclose);
    if (!values.empty()) H5Dwrite(dataset.id(), type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
  }
  /// An empty dataset in chunks of 1024 rows, which takes no room until it is written.
  static Handle make_chunked(hid_t file, const char* name, const std::vector<hsize_t>& extent,
                             hid_t type, bool packed) {
    H5Ldelete(file, name, H5P_DEFAULT);
    const Handle properties(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
    const hsize_t chunk[] = {1024, extent[1]};
    H5Pset_chunk(properties.id(), 2, chunk);
    if (packed) H5Pset_deflate(properties.id(), 6);
    const Handle space(H5Screate_simple(2, extent.data(), nullptr), H5Sclose);
    return {H5Dcreate2(file, name, type, space.id(), H5P_DEFAULT, properties.id(), H5P_DEFAULT),
            H5Dclose};
  }
  void refused(const std::vector<std::string>& patterns, const std::function<void(hid_t)>& change) {
    make(change);
    std::vector<std::string> all = patterns;
    all.push_back(path("mesh.h5"));
    expect_refusal(all, [&] { (void)read("mesh.h5"); });
    MPI_Barrier(world());
  }
};

TEST_F(AirfoilHdf5, HasOp2sDatasetsAndAttributes) {
  make([](hid_t) {});
  const Handle file(H5Fopen(path("mesh.h5").c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose);
  const auto expect_dataset = [&](const char* name, hsize_t rows, hsize_t columns, hid_t type,
                                  int size) {
    const Handle dataset(H5Dopen2(file.id(), name, H5P_DEFAULT), H5Dclose);
    ASSERT_TRUE(dataset.valid()) << name;
    const Handle space(H5Dget_space(dataset.id()), H5Sclose);
    const Handle stored(H5Dget_type(dataset.id()), H5Tclose);
    hsize_t extent[2] = {0, 0};
    EXPECT_EQ(H5Sget_simple_extent_dims(space.id(), extent, nullptr), 2) << name;
    EXPECT_EQ(extent[0], rows) << name;
    EXPECT_EQ(extent[1], columns) << name;
    EXPECT_GT(H5Tequal(stored.id(), type), 0) << name;
    for (const auto& [attribute, expected] :
         {std::pair("size", size), {"dim", static_cast<int>(columns)}}) {
      const Handle of(H5Aopen(dataset.id(), attribute, H5P_DEFAULT), H5Aclose);
      int value = -1;
      H5Aread(of.id(), H5T_NATIVE_INT, &value);
      EXPECT_EQ(value, expected) << name << " " << attribute;
    }
    const Handle of(H5Aopen(dataset.id(), "type", H5P_DEFAULT), H5Aclose);
    const Handle text(H5Tcopy(H5T_C_S1), H5Tclose);
    char value[16] = {};
    H5Tset_size(text.id(), sizeof value);
    H5Aread(of.id(), text.id(), value);
    EXPECT_STREQ(value, H5Tequal(type, H5T_NATIVE_INT) > 0 ? "int" : "double") << name;
  };
  expect_dataset("pcell", 6, 4, H5T_NATIVE_INT, 6);
  expect_dataset("pedge", 8, 2, H5T_NATIVE_INT, 8);
  expect_dataset("pecell", 8, 2, H5T_NATIVE_INT, 8);
  expect_dataset("pbedge", 8, 2, H5T_NATIVE_INT, 8);
  expect_dataset("pbecell", 8, 1, H5T_NATIVE_INT, 8);
  expect_dataset("p_x", 12, 2, H5T_NATIVE_DOUBLE, 16);
  expect_dataset("p_bound", 8, 1, H5T_NATIVE_INT, 4);
  expect_dataset("p_q", 6, 4, H5T_NATIVE_DOUBLE, 32);
  expect_dataset("p_qold", 6, 4, H5T_NATIVE_DOUBLE, 32);
  expect_dataset("p_adt", 6, 1, H5T_NATIVE_DOUBLE, 8);
  expect_dataset("p_res", 6, 4, H5T_NATIVE_DOUBLE, 32);
  for (const auto& [set, total] :
       {std::pair("nodes", 12), {"cells", 6}, {"edges", 8}, {"bedges", 8}}) {
    const Handle dataset(H5Dopen2(file.id(), set, H5P_DEFAULT), H5Dclose);
    int value = -1;
    H5Dread(dataset.id(), H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, &value);
    EXPECT_EQ(value, total) << set;
  }
}

/// The state with which OP2's program begins, and the constants it computes with: 1.4, 0.9, 0.05
/// and 0.4 in single precision.
TEST_F(AirfoilHdf5, HasOp2sFreeStreamAndConstants) {
  make([](hid_t) {});
  const Handle file(H5Fopen(path("mesh.h5").c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose);
  const auto values_of = [&](const std::string& name, int dimensions) {
    const Handle dataset(H5Dopen2(file.id(), name.c_str(), H5P_DEFAULT), H5Dclose);
    const Handle space(H5Dget_space(dataset.id()), H5Sclose);
    EXPECT_EQ(H5Sget_simple_extent_ndims(space.id()), dimensions) << name;
    std::vector<double> values(static_cast<std::size_t>(H5Sget_simple_extent_npoints(space.id())));
    H5Dread(dataset.id(), H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
    return values;
  };
  const auto constant = [&](const std::string& name) {
    const Handle dataset(H5Dopen2(file.id(), name.c_str(), H5P_DEFAULT), H5Dclose);
    const Handle stored(H5Dget_type(dataset.id()), H5Tclose);
    EXPECT_GT(H5Tequal(stored.id(), H5T_NATIVE_DOUBLE), 0) << name;
    const Handle dim(H5Aopen(dataset.id(), "dim", H5P_DEFAULT), H5Aclose);
    const Handle type(H5Aopen(dataset.id(), "type", H5P_DEFAULT), H5Aclose);
    const Handle text(H5Tcopy(H5T_C_S1), H5Tclose);
    int count = -1;
    char word[16] = {};
    H5Tset_size(text.id(), sizeof word);
    H5Aread(dim.id(), H5T_NATIVE_INT, &count);
    H5Aread(type.id(), text.id(), word);
    EXPECT_STREQ(word, "double") << name;
    EXPECT_EQ(H5Aget_storage_size(type.id()), 6u) << name;  // OP2's reader ends it itself
    const std::vector<double> values = values_of(name, 1);
    EXPECT_EQ(values.size(), static_cast<std::size_t>(count)) << name;
    return values;
  };
  const double gam = 1.4f, mach = 0.4f, u = std::sqrt(gam) * mach;
  const std::vector<double> qinf{1, u, 0, 1 / (gam - 1) + 0.5 * u * u};
  EXPECT_EQ(constant("gam"), std::vector<double>{gam});
  EXPECT_EQ(constant("gm1"), std::vector<double>{gam - 1});
  EXPECT_EQ(constant("cfl"), std::vector<double>{0.9f});
  EXPECT_EQ(constant("eps"), std::vector<double>{0.05f});
  EXPECT_EQ(constant("mach"), std::vector<double>{mach});
  EXPECT_NEAR(constant("alpha").at(0), std::atan(1.0) * 3 / 45, 1e-8);
  EXPECT_EQ(constant("qinf"), qinf);
  std::vector<double> everywhere;
  for (int cell = 0; cell < 6; ++cell)
    everywhere.insert(everywhere.end(), qinf.begin(), qinf.end());
  EXPECT_EQ(values_of("p_q", 2), everywhere);
  EXPECT_EQ(values_of("p_qold", 2), std::vector<double>(24));
  EXPECT_EQ(values_of("p_adt", 2), std::vector<double>(6));
  EXPECT_EQ(values_of("p_res", 2), std::vector<double>(24));
}

TEST_F(AirfoilHdf5, ReadsOtherWidthsOneDimensionAndThePlainNameOfX) {
  make([](hid_t file) {
    const AirfoilBlocks whole = generate_airfoil({1, 2}, 1, 0);
    const std::vector<float> x(whole.coordinates.values.begin(), whole.coordinates.values.end());
    replace(file, "p_x", {12, 2}, H5T_NATIVE_FLOAT, x);
    H5Lmove(file, "p_x", file, "x", H5P_DEFAULT, H5P_DEFAULT);
    const std::vector<long>& cells = whole.mesh.maps[bedge_cell_map].targets;
    replace(file, "pbecell", {8}, H5T_NATIVE_LONG, cells);
  });
  const AirfoilBlocks found = read("mesh.h5"), made = generate({1, 2});
  EXPECT_EQ(found.mesh.maps[bedge_cell_map].targets, made.mesh.maps[bedge_cell_map].targets);
  EXPECT_EQ(found.coordinates.values, made.coordinates.values);  // these are exact in float
}

TEST_F(AirfoilHdf5, RefusesBadFiles) {
  for (const char* name : {"nodes", "cells", "edges", "bedges", "pcell", "pedge", "pecell",
                           "pbedge", "pbecell", "p_x", "p_bound"})
    refused({std::string("dataset ") + name + ": not found"},
            [&](hid_t file) { H5Ldelete(file, name, H5P_DEFAULT); });
  refused({"dataset pcell", "found 5 x 4 in 2 dimensions, expected 6 x 4"}, [](hid_t file) {
    replace(file, "pcell", {5, 4}, H5T_NATIVE_INT, std::vector<int>(20));
  });
  refused({"dataset pedge", "found 8 x 3", "expected 8 x 2"}, [](hid_t file) {
    replace(file, "pedge", {8, 3}, H5T_NATIVE_INT, std::vector<int>(24));
  });
  refused({"dataset pecell", "expected integers"}, [](hid_t file) {
    replace(file, "pecell", {8, 2}, H5T_NATIVE_DOUBLE, std::vector<double>(16));
  });
  refused({"dataset cells", "found -1"},
          [](hid_t file) { replace(file, "cells", {1}, H5T_NATIVE_INT, std::vector<int>{-1}); });
  refused({"dataset p_x", "found 12 x 2", "expected 2147483647 x 2"}, [](hid_t file) {
    replace(file, "nodes", {1}, H5T_NATIVE_INT, std::vector<int>{2147483647});
  });
  refused({"dataset pcell", "found 2147483647 x 4 values in a file of"}, [](hid_t file) {
    replace(file, "cells", {1}, H5T_NATIVE_INT, std::vector<int>{2147483647});
    const Handle dataset = make_chunked(file, "pcell", {2147483647, 4}, H5T_NATIVE_INT, false);
  });
  // Of a byte in the file memory takes eight, and of what is not written there is nothing at all.
  for (const bool written : {false, true}) {
    refused({"dataset pcell", "found 4000000 x 4 values in a file of"}, [&](hid_t file) {
      replace(file, "cells", {1}, H5T_NATIVE_INT, std::vector<int>{4000000});
      const Handle dataset = make_chunked(file, "pcell", {4000000, 4}, H5T_NATIVE_INT8, true);
      if (written)
        H5Dwrite(dataset.id(), H5T_NATIVE_INT8, H5S_ALL, H5S_ALL, H5P_DEFAULT,
                 std::vector<std::int8_t>(16000000).data());
    });
  }
  refused({"dataset pbecell, row 3: boundary edge 3 has cell 6, expected 0 to 5"}, [](hid_t file) {
    replace(file, "pbecell", {8, 1}, H5T_NATIVE_INT, std::vector<int>{0, 1, 2, 6, 4, 5, 0, 1});
  });
  refused({"dataset p_bound: found numbers of 1000000 bytes"}, [](hid_t file) {
    const Handle wide(H5Tcopy(H5T_NATIVE_INT), H5Tclose);
    H5Tset_size(wide.id(), 1000000);
    replace(file, "p_bound", {8, 1}, wide.id(), std::vector<int>());
  });
  refused({"dataset p_bound, row 5: boundary edge 5 has flag 7696581394432"}, [](hid_t file) {
    const std::int64_t wide = std::int64_t{7} << 40;
    replace(file, "p_bound", {8, 1}, H5T_NATIVE_INT64,
            std::vector<std::int64_t>{2, 2, 2, 2, 2, wide, 2, 2});
  });
}

TEST_F(AirfoilHdf5, RefusesCoordinatesThatAreNotFinite) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  for (const double bad : {infinity, -infinity, std::numeric_limits<double>::quiet_NaN()}) {
    refused({"dataset p_x, row 7: node 7 has", "inf"}, [&](hid_t file) {
      std::vector<double> x = generate_airfoil({1, 2}, 1, 0).coordinates.values;
      x[15] = std::isnan(bad) ? infinity : bad;
      replace(file, "p_x", {12, 2}, H5T_NATIVE_DOUBLE, x);
    });
    refused({"dataset p_x, row 12: node 12 has", "finite"}, [&](hid_t file) {  // no cell's
      std::vector<double> x = generate_airfoil({1, 2}, 1, 0).coordinates.values;
      x.insert(x.end(), {0, bad});
      replace(file, "nodes", {1}, H5T_NATIVE_INT, std::vector<int>{13});
      replace(file, "p_x", {13, 2}, H5T_NATIVE_DOUBLE, x);
    });
  }
}

TEST_F(AirfoilHdf5, ADamagedPieceIsRefusedByAllRanks) {
  // Only the rank that needs it unpacks a chunk.
  for (const bool last : {false, true}) {
    write_airfoil(world(), generate({30, 40}), path("mesh.h5"));
    if (rank() == 0) {
      const std::vector<std::int64_t> cells =
          generate_airfoil({30, 40}, 1, 0).mesh.maps[cell_nodes_map].targets;
      haddr_t at = HADDR_UNDEF;
      hsize_t bytes = 0;
      {
        const Handle file(H5Fopen(path("mesh.h5").c_str(), H5F_ACC_RDWR, H5P_DEFAULT), H5Fclose);
        const Handle dataset = make_chunked(file.id(), "pcell", {3600, 4}, H5T_NATIVE_INT64, true);
        H5Dwrite(dataset.id(), H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, cells.data());
        const hsize_t row[] = {last ? hsize_t{3072} : 0, 0};
        H5Dget_chunk_info_by_coord(dataset.id(), row, nullptr, &at, &bytes);
      }
      ASSERT_NE(at, HADDR_UNDEF);
      std::fstream file(path("mesh.h5"), std::ios::in | std::ios::out | std::ios::binary);
      file.seekp(static_cast<std::streamoff>(at + bytes / 2));
      file << std::string(20, 'x');
    }
    MPI_Barrier(world());
    expect_refusal({path("mesh.h5"), "dataset pcell: cannot be read"},
                   [&] { (void)read("mesh.h5"); });
    MPI_Barrier(world());
  }
}

/// No crash, nothing waited for in vain, and no memory that the check was not asked for.
TEST_F(AirfoilHdf5, AnyDamageIsReadOrRefused) {
  write_airfoil(world(), generate({1, 2}), path("mesh.h5"));
  const std::string whole = read_text("mesh.h5");
  MPI_Barrier(world());
  int refusals = 0;
  for (unsigned seed = 0; seed < 150; ++seed) {
    Random random(seed);
    std::string bytes = whole;
    for (int changes = 1 + random.below(6); changes > 0; --changes) {
      const int at = random.below(static_cast<int>(bytes.size()));
      bytes[at] = static_cast<char>(random.below(2) == 0 ? random.below(256) : 255);
    }
    write_text("mesh.h5", bytes);
    try {
      (void)read_airfoil(world(), path("mesh.h5"), [](double needed) {
        if (needed > 1e8) throw BadEnvironment("not enough memory");
      });
    } catch (const BadInput&) {
      ++refusals;
    } catch (const BadEnvironment&) {
      ++refusals;
    }
    MPI_Barrier(world());
  }
  EXPECT_GT(refusals, 20);
}

TEST_F(AirfoilHdf5, RefusesWhatIsNoHdf5) {
  write_text("text.h5", "9 4 4 8\n");
  expect_refusal({path("text.h5"), "no HDF5 file"}, [&] { (void)read("text.h5"); });
  expect_refusal({path("no.h5"), "cannot be read"}, [&] { (void)read("no.h5"); });
  write_airfoil(world(), generate({1, 2}), path("mesh.h5"));
  const std::string whole = read_text("mesh.h5");
  write_text("cut.h5", whole.substr(0, whole.size() / 2));
  expect_refusal({path("cut.h5")}, [&] { (void)read("cut.h5"); });
  write_text("binary.dat", whole);
  expect_refusal({path("binary.dat"), "expected"}, [&] { (void)read("binary.dat"); });
}

}  // namespace
}  // namespace bellwether
