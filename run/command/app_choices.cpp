// SPDX-License-Identifier: MIT
#include "run/command/app_choices.hpp"

#include <algorithm>
#include <stdexcept>

namespace bellwether {

void AppChoices::add_to(Verb& verb, Options& common,
                        const std::function<void(App&, Options&)>& add_own) {
  for (auto& app : apps()) {
    AppChoice& choice = *choices_.emplace_back(std::make_unique<AppChoice>());
    app->add_problem_options(choice.options);
    add_own(*app, choice.options);
    choice.verb = &verb.add_verb(app->name(), app->summary());
    choice.verb->add(choice.options);
    choice.verb->add(common);
    choice.app = std::move(app);
  }
}

const AppChoice& AppChoices::given() const {
  const auto found = std::find_if(choices_.begin(), choices_.end(),
                                  [](const auto& choice) { return choice->verb->given(); });
  if (found == choices_.end()) throw std::logic_error("no application was asked for");
  return **found;
}

}  // namespace bellwether
