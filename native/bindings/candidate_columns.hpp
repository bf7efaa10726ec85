// Candidates as columns, and what a join is asked for, the same for both joins.
#pragma once

#include <string>

#include "bindings/convert.hpp"
#include "join/candidates.hpp"

namespace nearkin::bindings {

inline nb::tuple columns(Candidates&& met) {
  const Columns<Candidate> of(std::move(met.pairs));
  return nb::make_tuple(of(&Candidate::a), of(&Candidate::b), of(&Candidate::shared), of(&Candidate::size_a),
                        of(&Candidate::size_b), of(&Candidate::united), of(&Candidate::strong),
                        array(std::move(met.starred)), met.hot_features, met.hot_links);
}

inline Estimator estimator_of(const std::string& name) {
  if (name == "overlap") return Estimator::overlap;
  if (name == "smallest") return Estimator::smallest;
  if (name == "slots") return Estimator::slots;
  if (name == "collision") return Estimator::collision;
  throw nb::value_error("the join knows the estimators overlap, smallest, slots and collision");
}

inline Evidence evidence_of(const std::string& estimator, bool sampled, std::uint64_t limit, bool contains) {
  const Evidence evidence{sampled, estimator_of(estimator), limit, contains};
  const bool cut = evidence.estimator == Estimator::smallest || evidence.estimator == Estimator::slots;
  if (cut != (limit != 0)) throw nb::value_error("smallest and slots have a limit, the others have none");
  return evidence;
}

}  // namespace nearkin::bindings
