"""The page of an answer over several sites: who holds what, the line, what security costs."""

from __future__ import annotations

from planner.domain.regions_answer import RegionsAnswer, SecurityCost, WanLine
from planner.export.sentences import sentences
from planner.report.markdown_table import table
from planner.report.plain import markdown

PHRASES = {
    "en": {
        "none": "No answer within the limits",
        "total": "Present value over {years:g} years: USD {usd:,.0f}, proved least",
        "step": "A step takes {step:.4g} s of {limit:.4g} s (target {target:.4g} s, margin "
        "{margin:.1%})",
        "sites": "Sites",
        "site": ["site", "servers", "GPUs", "part of the batch", "own step, s", "strategy",
                 "present value, USD"],
        "line": "Line between the sites",
        "one": "One site is enough; no line is rented.",
        "what": ["what", "value"],
        "rows": ["between", "fibre", "bandwidth", "encryption", "left for gradients",
                 "latency, one way", "sent by each site in a step", "added to each step",
                 "rent", "traffic", "encrypting cards", "price of the line"],
        "cards": "{count} for USD {usd:,.0f}",
        "security": "What security costs",
        "choice": ["forced", "servers", "bandwidth", "step, s", "present value, USD"],
        "notes": "Estimates",
        "no": "no split holds the limits",
        "excluded": "{name} (not allowed, to compare with)",
    },
    "es": {
        "none": "Ninguna respuesta dentro de los límites",
        "total": "Valor actual en {years:g} años: {usd:,.0f} USD, mínimo demostrado",
        "step": "Un paso tarda {step:.4g} s de {limit:.4g} s (objetivo {target:.4g} s, margen "
        "{margin:.1%})",
        "sites": "Sedes",
        "site": ["sede", "servidores", "GPU", "parte del lote", "paso propio, s", "estrategia",
                 "valor actual, USD"],
        "line": "Línea entre las sedes",
        "one": "Basta una sede; no se alquila ninguna línea.",
        "what": ["qué", "valor"],
        "rows": ["entre", "fibra", "ancho de banda", "cifrado", "queda para gradientes",
                 "latencia de ida", "envía cada sede por paso", "añade a cada paso",
                 "alquiler", "tráfico", "tarjetas de cifrado", "precio de la línea"],
        "cards": "{count} por {usd:,.0f} USD",
        "security": "Lo que cuesta la seguridad",
        "choice": ["forzado", "servidores", "ancho de banda", "paso, s", "valor actual, USD"],
        "notes": "Estimaciones",
        "no": "ningún reparto cumple los límites",
        "excluded": "{name} (no permitido, para comparar)",
    },
}  # fmt: skip


def regions_markdown(answer: RegionsAnswer, lang: str = "en") -> str:
    """Return the page in Markdown."""
    words = PHRASES[lang]
    instance = answer.instance
    lines = [f"# {markdown(instance.title or instance.name)}", ""]
    if answer.status != "optimal":
        lines += [
            f"**{words['none']}**",
            "",
            *(f"- {markdown(_said(r, lang))}" for r in answer.reasons),
        ]
        return "\n".join(lines) + "\n"
    total = str(words["total"]).format(years=instance.finance.years, usd=answer.objective_usd)
    step = str(words["step"]).format(
        step=answer.step_time_s, limit=answer.limit_s, target=answer.target_s, margin=answer.margin
    )
    lines += [f"**{total}.** {step}.", "", f"## {words['sites']}"]
    lines += table(
        words["site"],
        [
            [markdown(s.name), f"{s.nodes} x {markdown(s.server)}", f"{s.gpus:,}",
             f"{s.global_batch:,}", f"{s.step_time_s:.4g}", markdown(s.strategy),
             f"{s.objective_usd:,.0f}"]
            for s in answer.sites
        ],
        "llrrrlr",
    )  # fmt: skip
    lines += ["", f"## {words['line']}"]
    lines += ["", str(words["one"])] if answer.line is None else _line(answer.line, lang)
    lines += ["", f"## {words['security']}"]
    lines += table(words["choice"], [_choice(a, lang) for a in answer.alternatives], "llrrr")
    lines += ["", f"## {words['notes']}", "", *(f"- {_said(n, lang)}" for n in answer.notes)]
    return "\n".join(lines) + "\n"


def _line(line: WanLine, lang: str) -> list[str]:
    words = PHRASES[lang]
    cards = str(words["cards"]).format(count=line.gateways, usd=line.gateway_usd)
    values = [
        markdown(" - ".join(line.between)), f"{line.km:,.0f} km", f"{line.gbps:,.0f} Gbit/s",
        line.encryption, f"{line.goodput_gbps:,.1f} Gbit/s", f"{line.latency_s * 1e3:.3f} ms",
        f"{line.exchange_bytes / 1e9:,.2f} GB", f"{line.exchange_s:.4g} s",
        f"USD {line.rent_usd:,.0f}", f"USD {line.traffic_usd:,.0f}", cards, markdown(line.source),
    ]  # fmt: skip
    return table(words["what"], [[str(k), v] for k, v in zip(words["rows"], values, strict=True)])


def _choice(item: SecurityCost, lang: str) -> list[str]:
    words = PHRASES[lang]
    name = _said(item.name, lang) if item.name == "one site" else item.name
    if not item.allowed:
        name = str(words["excluded"]).format(name=name)
    if item.status != "optimal":
        return [name, str(words["no"]), "", "", ""]
    gbps = "" if item.gbps is None else f"{item.gbps:,.0f} Gbit/s"
    return [name, markdown(_summary(item, lang)), gbps, f"{item.step_time_s:.4g}",
            f"{item.objective_usd:,.0f}"]  # fmt: skip


def _summary(item: SecurityCost, lang: str) -> str:
    return ", ".join(_said(part, lang) for part in item.summary.split(", "))


def _said(text: str, lang: str) -> str:
    """Return a sentence of the program in the reader's language."""
    catalogue = sentences(lang)
    return text if catalogue is None else catalogue.translate(text) or text
