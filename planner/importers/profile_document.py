"""A profile as an import hands it back: its document, and the sentences that sum it up."""

from __future__ import annotations

from planner.domain.profile import StepProfile
from planner.importers.imported import Imported

DOCUMENT = "profile.json"


def imported_profile(kind: str, profile: StepProfile) -> Imported:
    """Return a profile as the result of an import."""
    mean = profile.mean
    counted = sum(step.counted for step in profile.steps)
    facts = [
        f"{counted} of {len(profile.steps)} steps counted, told by {profile.steps_found_by}",
        f"mean step {mean.wall_s * 1e3:.4g} ms",
    ]
    if mean.network_s > 0:
        facts.append(
            f"computation hides {mean.overlap_share:.1%} of {mean.network_s * 1e3:.4g} ms of "
            f"communication; {mean.exposed_network_s * 1e3:.4g} ms are waited for"
        )
    else:
        facts.append("no communication kernel ran")
    return Imported(
        kind=kind,
        documents={DOCUMENT: profile.model_dump(mode="json")},
        facts=tuple(facts),
        warnings=profile.notes,
    )
