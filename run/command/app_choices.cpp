// SPDX-License-Identifier: MIT
#include "run/command/app_choices.hpp"

#include <algorithm>
#include <stdexcept>

#include "miniapps/driver/app.hpp"

namespace bellwether {

void AppChoices::add_to(Verb& verb, Options& common) {
  for (auto& app : apps()) {
    AppChoice& choice = *choices_.emplace_back(std::make_unique<AppChoice>());
    app->add_problem_options(choice.options);
    app->add_prediction_options(choice.options);
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
