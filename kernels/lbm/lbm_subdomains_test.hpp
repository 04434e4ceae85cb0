// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <vector>

#include "kernels/launch/device.hpp"
#include "kernels/lbm/lbm_storage_test.hpp"

namespace bellwether {

/// A domain: cells, directions that are periodic (walls in the others), and solid cells.
struct TestDomain {
  std::array<int, 3> cells;
  std::array<bool, 3> periodic;
  std::vector<bool> solid;  ///< x fastest

  [[nodiscard]] std::size_t index(const std::array<int, 3>& at) const {
    return static_cast<std::size_t>(at[0] + cells[0] * (at[1] + std::ptrdiff_t{cells[1]} * at[2]));
  }
  /// Brings periodic coordinates into the domain; false for a cell beyond a wall.
  [[nodiscard]] bool find(std::array<int, 3>& at) const {
    for (int d = 0; d < 3; ++d) {
      if (periodic[d]) at[d] = (at[d] + cells[d]) % cells[d];
      if (at[d] < 0 || at[d] >= cells[d]) return false;
    }
    return true;
  }
  [[nodiscard]] bool is_solid(std::array<int, 3> at) const { return !find(at) || solid[index(at)]; }
  [[nodiscard]] reference::Lattice lattice() const { return {cells, periodic, solid}; }
};

/// A domain divided among subdomains, each with its own storage, and the exchange between them:
/// cell by cell, as lbm.hpp's slots imply it.
template <class T>
class Subdomains {
 public:
  /// `wraps`: a direction that is periodic and not divided wraps, else its ghost cells are filled.
  Subdomains(TestBackend& on, const TestDomain& domain, std::array<int, 3> parts, bool wraps = true)
      : on_(on), domain_(domain), kernels_(make_kernels<LbmKernels<T>>(on.device())) {
    visit_cells(parts, [&](int i, int j, int k) {
      const std::array<int, 3> part{i, j, k};
      Subdomain sub;
      std::array<int, 3> cells;
      for (int d = 0; d < 3; ++d) {
        sub.offset[d] = part[d] * domain.cells[d] / parts[d];
        cells[d] = (part[d] + 1) * domain.cells[d] / parts[d] - sub.offset[d];
        sub.grid.wraps[d] = wraps && domain.periodic[d] && parts[d] == 1;
      }
      sub.grid.layout = LbmLayout(cells, sizeof(T), row_ghosts(sub.grid.wraps[0]));
      set_solid(sub);
      set_links(sub);
      sub.f = poisoned<T>(sub.grid.layout);
      all_.push_back(std::move(sub));
    });
  }

  /// Puts random populations where a step of this parity finds them, the same for every division.
  void set_random(int parity, Random& random) {
    std::vector<std::array<T, 19>> values(domain_.solid.size());
    for (auto& cell : values)
      for (T& value : cell) value = random.value<T>() * T(random_deviation);
    each_fluid_cell([&](Subdomain& sub, const std::array<int, 3>& cell, std::size_t n) {
      std::size_t population = 0;
      visit_places(sub.grid, cell, parity,
                   [&](std::size_t at) { sub.f[at] = values[n][population++]; });
    });
  }
  /// A step, exchange and bounce; the momentum that the solid gained.
  std::array<double, 3> step(int parity, const LbmCollision<T>& collision) {
    for (Subdomain& sub : all_)
      on_device(sub, [&](T* f) {
        kernels_->update(sub.grid, sub.grid.layout.field().interior(), f, parity, collision,
                         Prefetch::ahead, on_.stream());
      });
    return finish(parity);
  }
  void set_flow(const LbmFlow& flow, const LbmCollision<T>& collision) {
    for (Subdomain& sub : all_)
      on_device(sub, [&](T* f) { kernels_->set_flow(sub.grid, f, flow, collision, on_.stream()); });
    finish(1);
  }
  /// The populations that a step of this parity finds, of all fluid cells.
  [[nodiscard]] std::vector<reference::Populations> populations(int parity) {
    std::vector<reference::Populations> all(domain_.solid.size());
    each_fluid_cell([&](Subdomain& sub, const std::array<int, 3>& cell, std::size_t n) {
      all[n] = incoming(sub.grid, sub.f, cell, parity);
    });
    return all;
  }
  [[nodiscard]] std::uint64_t fingerprint(int parity) {
    std::uint64_t sum = 0;
    for (Subdomain& sub : all_)
      on_device(sub, [&](T* f) {
        sum += kernels_->fingerprint(sub.grid, f, parity, sub.offset, domain_.cells, on_.stream());
      });
    return sum;
  }
  [[nodiscard]] double excess_mass(int parity, const LbmFlow& flow) {
    double sum = 0;
    for (Subdomain& sub : all_)
      on_device(sub, [&](T* f) {
        sum += kernels_->sums(sub.grid, f, parity, flow, {}, on_.stream()).excess_mass;
      });
    return sum;
  }

 private:
  struct Subdomain {
    std::array<int, 3> offset;
    LbmGrid grid;
    std::vector<T> f;
    Buffer<unsigned char> mask;
    std::vector<LbmLink> links;
  };

  [[nodiscard]] std::array<int, 3> global(const Subdomain& sub,
                                          const std::array<int, 3>& cell) const {
    return {sub.offset[0] + cell[0], sub.offset[1] + cell[1], sub.offset[2] + cell[2]};
  }
  static bool holds(const Subdomain& sub, const std::array<int, 3>& cell) {
    for (int d = 0; d < 3; ++d)
      if (cell[d] < 0 || cell[d] >= sub.grid.layout.cells()[d]) return false;
    return true;
  }
  void set_solid(Subdomain& sub) {
    std::vector<unsigned char> mask(sub.grid.layout.field().elements(), 1);
    visit_cells(sub.grid.layout.cells(), [&](int i, int j, int k) {
      mask[static_cast<std::size_t>(sub.grid.layout.field().at(i, j, k))] =
          domain_.is_solid(global(sub, {i, j, k})) ? 1 : 0;
    });
    sub.mask = on_.upload(mask);
    sub.grid.solid = sub.mask.data();
  }
  void set_links(Subdomain& sub) {
    const GridLayout& field = sub.grid.layout.field();
    visit_cells(field.interior(), [&](int i, int j, int k) {
      if (domain_.is_solid(global(sub, {i, j, k}))) return;
      for (std::int8_t pair = 0; pair < d3q19::pairs; ++pair) {
        const auto& c = d3q19::velocity[pair];
        const auto next = neighbour_of(sub.grid, {i, j, k}, pair);
        if (domain_.is_solid(global(sub, next)))
          sub.links.push_back({field.at(next[0], next[1], next[2]), pair, 1, {}});
        if (domain_.is_solid(global(sub, {i - c[0], j - c[1], k - c[2]})))
          sub.links.push_back({field.at(i, j, k), pair, -1, {}});
      }
    });
  }

  /// Calls use with the subdomain's storage on the device, and takes back what is there then.
  template <class Use>
  void on_device(Subdomain& sub, const Use& use) {
    const Buffer<T> f = on_.upload(sub.f);
    use(f.data());
    sub.f = on_.download(f);
  }
  /// Calls visit(subdomain, local cell, global index) for all fluid cells.
  template <class Visit>
  void each_fluid_cell(const Visit& visit) {
    for (Subdomain& sub : all_)
      visit_cells(sub.grid.layout.cells(), [&](int i, int j, int k) {
        const auto at = global(sub, {i, j, k});
        if (!domain_.is_solid(at)) visit(sub, {i, j, k}, domain_.index(at));
      });
  }
  /// What follows a step of a parity.
  std::array<double, 3> finish(int parity) {
    for (Subdomain& sub : all_)
      visit_cells(sub.grid.layout.cells(), [&](int i, int j, int k) {
        for (int pair = 0; pair < d3q19::pairs; ++pair)
          exchange(sub, neighbour_of(sub.grid, {i, j, k}, pair), pair, 1 - parity);
      });
    std::array<double, 3> gained{};
    for (Subdomain& sub : all_) {
      const Buffer<LbmLink> links = on_.upload(sub.links);
      const std::size_t count = sub.links.size();
      on_device(sub, [&](T* f) {
        const LbmLayout& layout = sub.grid.layout;
        const auto impulse =
            kernels_->link_force(layout, links.data(), count, f, parity, on_.stream());
        for (int d = 0; d < 3; ++d) gained[d] += impulse[d];
        kernels_->bounce(layout, links.data(), count, f, parity, on_.stream());
        kernels_->bounce(layout, links.data(), count, f, parity, on_.stream());
      });
    }
    return gained;
  }
  /// A ghost cell's pair: what was sent into it goes to its owner, and what its owner sent comes.
  void exchange(Subdomain& sub, const std::array<int, 3>& ghost, int pair, int next_parity) {
    std::array<int, 3> at = global(sub, ghost);
    if (holds(sub, ghost) || !domain_.find(at)) return;
    for (Subdomain& owner : all_) {
      const std::array<int, 3> cell{at[0] - owner.offset[0], at[1] - owner.offset[1],
                                    at[2] - owner.offset[2]};
      if (!holds(owner, cell)) continue;
      const int own = own_slot(pair, next_parity), other = other_slot(pair, next_parity);
      owner.f[place(owner.grid, own, cell)] = sub.f[place(sub.grid, own, ghost)];
      sub.f[place(sub.grid, other, ghost)] = owner.f[place(owner.grid, other, cell)];
    }
  }

  TestBackend& on_;
  TestDomain domain_;
  std::unique_ptr<LbmKernels<T>> kernels_;
  std::vector<Subdomain> all_;
};

}  // namespace bellwether
