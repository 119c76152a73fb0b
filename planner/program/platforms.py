"""Which servers, with which NICs, an instance may buy; and why the others are left out."""

from __future__ import annotations

from dataclasses import dataclass

from planner.domain.catalog import Catalog
from planner.domain.compute_constants import shipped_constants
from planner.domain.design import Platform
from planner.domain.hardware import Accelerator, NicOption, Server
from planner.domain.instance import Instance
from planner.physics.costs import UnitCost
from planner.physics.refusal import Refusal
from planner.program.prices import PriceBook


@dataclass(frozen=True, slots=True, kw_only=True)
class PlatformOption:
    """A server with its NICs, and what one of them costs."""

    platform: Platform
    server: Server
    accelerator: Accelerator
    nics: NicOption
    nic_gbps: float
    """Rate of one link after the host's limit."""
    unit: UnitCost
    """Server and the cards that its price does not include."""

    @property
    def key(self) -> str:
        """Id of the NIC option, which names the server too."""
        return self.nics.id


def excluded(instance: Instance, option: NicOption, server: Server) -> str:
    """Return why `fix` or `forbid` leave a platform out; empty where they do not."""
    values = {
        "server": server.id,
        "accelerator": server.accelerator,
        "scale_up": server.scale_up,
        "nic": option.nic,
        "nics_per_node": option.links,
    }
    fixed, forbidden = instance.fix.values(), instance.forbid.values()
    for key, value in values.items():
        if key in fixed and value not in fixed[key]:
            return f"not the fixed {key}"
        if value in forbidden.get(key, ()):
            return f"forbidden {key}"
    if {server.id, server.accelerator, option.nic, option.id} & set(forbidden.get("product", ())):
        return "forbidden product"
    return ""


def _unmeasured(instance: Instance, accelerator: Accelerator, server: Server) -> str:
    """Return why a part whose speed nobody measured is left out, unless the instance names it."""
    fixed = instance.fix.values()
    named = {*fixed.get("accelerator", ()), *fixed.get("server", ())}
    if named & {accelerator.id, server.id}:
        return ""
    if shipped_constants().compute.validated(accelerator.id, accelerator.architecture):
        return ""
    return (
        f"the speed of {accelerator.model} was not held against measurements: "
        "name it under fix.accelerator to consider it"
    )


def owned_platform(book: PriceBook, option: NicOption) -> bool:
    """Return whether some servers with these cards stand there: they need not be on sale."""
    cards = option.included or book.owns(option.nic) or book.catalog.nic(option.nic).buyable
    return book.owns(option.server) and cards


def servers_net(book: PriceBook, option: PlatformOption, nodes: int) -> UnitCost:
    """Return the present value of servers with their cards, less what is owned of both."""
    value = book.net(option.server.id, "servers", nodes)
    if not option.nics.included:
        value = value + book.net(option.nics.nic, "nics", nodes * option.nics.count)
    return value


def beyond_sale(book: PriceBook, part: str, component: str, count: int) -> Refusal | None:
    """Return why so many of a part cannot be had: it is owned, but no more of it is on sale."""
    owned = book.stock.get((part, component), 0)
    row = book.row(part)
    if count <= owned or not row.not_buyable or not owned:
        return None
    return Refusal(
        limit="owned_out_of_sale",
        reason=f"{count} x {part} are needed, {owned} are owned and {part} {row.not_buyable}",
    )


def platform_options(
    instance: Instance, catalog: Catalog, book: PriceBook, asked: Instance | None = None
) -> tuple[list[PlatformOption], dict[str, str]]:
    """Return the platforms that may be bought, by id, and the reason of each that may not.

    `asked` is the user's own instance where `instance` is a variant that planner forces: a part
    whose speed nobody measured is considered where the user names it, not where planner does.
    """
    options: list[PlatformOption] = []
    reasons: dict[str, str] = {}
    for option in sorted(catalog.server_nics.values(), key=lambda row: row.id):
        server = catalog.server(option.server)
        reason = excluded(instance, option, server)
        if not reason and not owned_platform(book, option):
            reason = catalog.platform_not_buyable(option)
        if not reason and server.cooling == "liquid" and instance.site.cooling != "liquid":
            reason = f"{server.id} needs liquid cooling; the site has air"
        if not book.owns(server.id):
            accelerator = catalog.accelerator(server.accelerator)
            reason = reason or _unmeasured(asked or instance, accelerator, server)
        if reason:
            reasons[option.id] = reason
            continue
        unit = book.unit(server.id)
        if not option.included:
            unit = unit + book.unit(option.nic).times(option.count)
        options.append(
            PlatformOption(
                platform=Platform(
                    server=server.id,
                    nic=option.nic,
                    nics=option.links,
                    link_gbps=option.link_gbps,
                ),
                server=server,
                accelerator=catalog.accelerator(server.accelerator),
                nics=option,
                nic_gbps=catalog.nic_link_gbps(option),
                unit=unit,
            )
        )
    return options, reasons
