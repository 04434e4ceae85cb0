// SPDX-License-Identifier: MIT
#include "miniapps/comm/session/launcher.hpp"

#include <gtest/gtest.h>

#include <map>
#include <string>

namespace bellwether {
namespace {

using Environment = std::map<std::string, const char*>;

Variables variables_of(const Environment& environment) {
  return [&environment](const char* name) {
    const auto found = environment.find(name);
    return found == environment.end() ? nullptr : found->second;
  };
}

std::string contradiction_of(int ranks, const Environment& environment) {
  const auto found = started(variables_of(environment));
  return found ? contradiction(*found, ranks, "Open MPI v4") : "";
}

TEST(Launched, IsTheInnermostLauncherWhoseNumbersFit) {
  const auto rank_by = [](const Environment& environment) {
    const auto found = launched(variables_of(environment));
    return found ? found->rank : -1;
  };
  EXPECT_EQ(rank_by({}), -1);
  EXPECT_EQ(rank_by({{"SLURM_PROCID", "1"}, {"SLURM_STEP_NUM_TASKS", "2"}}), 1);
  EXPECT_EQ(rank_by({{"PMI_RANK", "3"}, {"PMI_SIZE", "4"}}), 3);
  EXPECT_EQ(rank_by({{"OMPI_COMM_WORLD_RANK", "0"},
                     {"OMPI_COMM_WORLD_SIZE", "2"},
                     {"SLURM_PROCID", "1"},
                     {"SLURM_STEP_NUM_TASKS", "2"}}),
            0);
  // Left over from something else: nobody else is there to speak.
  EXPECT_EQ(rank_by({{"SLURM_PROCID", "1"}}), -1);
  EXPECT_EQ(rank_by({{"SLURM_PROCID", "1"}, {"SLURM_STEP_NUM_TASKS", "1"}}), -1);
  EXPECT_EQ(rank_by({{"PMIX_RANK", "1"}}), -1);
}

TEST(Started, ALauncherThatStartedMoreThanMpiKnows) {
  EXPECT_EQ(contradiction_of(1, {{"SLURM_STEP_NUM_TASKS", "4"}, {"SLURM_PROCID", "0"}}),
            "Slurm started 4 tasks, MPI knows of 1: srun --mpi=pmix, or what srun --mpi=list has "
            "for this MPI (MPI is Open MPI v4)");
  for (const char* name : {"PMI_SIZE", "OMPI_COMM_WORLD_SIZE", "MV2_COMM_WORLD_SIZE",
                           "JSM_NAMESPACE_SIZE", "FLUX_JOB_SIZE", "SLURM_STEP_NUM_TASKS"}) {
    EXPECT_NE(contradiction_of(1, {{name, "2"}}), "") << name;
    EXPECT_NE(contradiction_of(2, {{name, "4"}}), "") << name;
    EXPECT_EQ(contradiction_of(2, {{name, "2"}}), "") << name;
    EXPECT_EQ(contradiction_of(1, {{name, "many"}}), "") << name;
  }
  for (const char* name : {"PMIX_RANK", "PALS_RANKID"}) {
    EXPECT_NE(contradiction_of(1, {{name, "1"}}), "") << name;
    EXPECT_EQ(contradiction_of(2, {{name, "1"}}), "") << name;
  }
}

TEST(Started, ASingleRankWithinAnAllocationIsNone) {
  EXPECT_EQ(contradiction_of(1, {}), "");
  // A batch script, which Slurm numbers as a task and counts as no step.
  EXPECT_EQ(contradiction_of(1, {{"SLURM_NTASKS", "4"}, {"SLURM_PROCID", "0"}}), "");
  EXPECT_EQ(contradiction_of(1, {{"SLURM_NTASKS", "4"}, {"SLURM_STEP_NUM_TASKS", "1"}}), "");
  EXPECT_EQ(contradiction_of(1, {{"SLURM_PROCID", "1"}}), "");
  // An mpirun within a step: its own count is the one that holds.
  EXPECT_EQ(contradiction_of(1, {{"OMPI_COMM_WORLD_SIZE", "1"}, {"SLURM_STEP_NUM_TASKS", "4"}}),
            "");
  EXPECT_EQ(contradiction_of(8, {{"OMPI_COMM_WORLD_SIZE", "8"}, {"SLURM_STEP_NUM_TASKS", "2"}}),
            "");
  // Components of a heterogeneous job are steps of their own in one MPI_COMM_WORLD.
  EXPECT_EQ(contradiction_of(8, {{"SLURM_STEP_NUM_TASKS", "4"}}), "");
}

}  // namespace
}  // namespace bellwether
