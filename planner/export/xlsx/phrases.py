"""The workbook's own words in English and Spanish."""

from __future__ import annotations

from planner.domain.errors import UsageError
from planner.export.sentences import sentences

_PHRASES: dict[str, tuple[str, str]] = {
    "sheet.summary": ("Summary", "Resumen"),
    "sheet.bill": ("Bill of materials", "Lista de materiales"),
    "sheet.racks": ("Racks", "Racks"),
    "sheet.cables": ("Cables", "Cables"),
    "sheet.assumptions": ("Assumptions", "Supuestos"),
    "page": ("Page", "Página"),
    "of": ("of", "de"),
    "total": ("Total", "Total"),
    "yes": ("yes", "sí"),
    "no": ("no", "no"),
    "status": ("Status", "Estado"),
    "optimal": ("proved optimal", "óptimo demostrado"),
    "feasible": ("feasible, not proved optimal", "factible, sin demostrar que sea óptimo"),
    "infeasible": ("infeasible", "no factible"),
    "stopped": ("stopped without a design", "detenido sin diseño"),
    "question": ("Question", "Pregunta"),
    "server": ("Server", "Servidor"),
    "servers": ("Servers", "Servidores"),
    "gpus": ("GPUs", "GPU"),
    "racks_used": ("Racks in use", "Racks en uso"),
    "fabric": ("Scale-out fabric", "Red entre servidores"),
    "oversubscription": ("Oversubscription of a leaf", "Sobresuscripción de un leaf"),
    "max_power": ("Power at most (kW)", "Potencia máxima (kW)"),
    "average_power": ("Power on average (kW)", "Potencia media (kW)"),
    "capex": ("Purchase (USD)", "Compra (USD)"),
    "present_value": ("Present value (USD)", "Valor actual (USD)"),
    "bound": ("Proved lower bound (USD)", "Cota inferior demostrada (USD)"),
    "years": ("Years", "Años"),
    "rate": ("USD for one {code}", "USD por un {code}"),
    "rate_date": ("Date of that rate", "Fecha de ese cambio"),
    "purchase_in": ("Purchase ({code})", "Compra ({code})"),
    "present_value_in": ("Present value ({code})", "Valor actual ({code})"),
    "in_service": ("In service from", "En servicio desde"),
    "started": ("Computed on (UTC)", "Calculado el (UTC)"),
    "run": ("Run", "Ejecución"),
    "version": ("Version of planner", "Versión de planner"),
    "solver": ("Solver", "Resolvedor"),
    "quoted_lines": ("Lines with a quote", "Líneas con oferta"),
    "quoted_total": ("Quoted so far in USD", "Ofertado hasta ahora en USD"),
    "not_priced": ("Not priced", "Sin precio"),
    "reason": ("Why there is no design", "Por qué no hay diseño"),
    "component": ("Component", "Componente"),
    "energy": ("Energy (USD)", "Energía (USD)"),
    "support": ("Support (USD)", "Soporte (USD)"),
    "other": ("Other (USD)", "Otros (USD)"),
    "workload": ("Workload", "Trabajo"),
    "network": ("Network", "Red neuronal"),
    "step_time": ("Step time (s)", "Tiempo de paso (s)"),
    "limit_s": ("Limit (s)", "Límite (s)"),
    "target_s": ("Target (s)", "Objetivo (s)"),
    "spare": ("Spare to limit", "Margen al límite"),
    "run_days": ("Days of a run", "Días por ejecución"),
    "deadline": ("Deadline (days)", "Plazo (días)"),
    "strategy": ("Strategy", "Estrategia"),
    "line": ("Line", "Línea"),
    "part": ("Part", "Código"),
    "kind": ("Kind", "Clase"),
    "description": ("Description", "Descripción"),
    "quantity": ("Quantity", "Cantidad"),
    "unit_price": ("Unit price (USD)", "Precio unitario (USD)"),
    "line_total": ("Total (USD)", "Importe (USD)"),
    "low": ("Low price (USD)", "Precio bajo (USD)"),
    "high": ("High price (USD)", "Precio alto (USD)"),
    "price_kind": ("Price kind", "Tipo de precio"),
    "price_date": ("Price date", "Fecha del precio"),
    "price_source": ("Price source", "Fuente del precio"),
    "vendor": ("Vendor", "Proveedor"),
    "quoted_price": ("Quoted unit price", "Precio ofertado"),
    "currency": ("Currency", "Moneda"),
    "quote_date": ("Quote date", "Fecha de oferta"),
    "valid_until": ("Valid until", "Válido hasta"),
    "lead_time": ("Lead time (weeks)", "Plazo de entrega (semanas)"),
    "quoted_line": ("Quoted total", "Importe ofertado"),
    "notes": ("Notes", "Notas"),
    "fill_in": (
        "Fill in the yellow columns; planner reads this workbook back: planner import quotes FILE",
        "Rellene las columnas amarillas; planner lee este libro: planner import quotes ARCHIVO",
    ),
    "rack": ("Rack", "Rack"),
    "row": ("Row", "Fila"),
    "place": ("Place in row", "Lugar en la fila"),
    "used_units": ("Height used (U)", "Altura usada (U)"),
    "units": ("Height (U)", "Altura (U)"),
    "power_used": ("Power at most (W)", "Potencia máxima (W)"),
    "power_limit": ("Power limit (W)", "Límite de potencia (W)"),
    "power_share": ("Power used", "Uso de potencia"),
    "weight": ("Weight (kg)", "Peso (kg)"),
    "weight_limit": ("Weight limit (kg)", "Límite de peso (kg)"),
    "contents": ("Devices", "Equipos"),
    "cable": ("Cable", "Cable"),
    "assembly": ("Assembly", "Conjunto"),
    "tier": ("Tier", "Nivel"),
    "a_rack": ("Rack A", "Rack A"),
    "a_unit": ("U A", "U A"),
    "a_device": ("Device A", "Equipo A"),
    "a_port": ("Port A", "Puerto A"),
    "a_module": ("Transceiver A", "Transceptor A"),
    "b_rack": ("Rack B", "Rack B"),
    "b_unit": ("U B", "U B"),
    "b_device": ("Device B", "Equipo B"),
    "b_port": ("Port B", "Puerto B"),
    "b_module": ("Transceiver B", "Transceptor B"),
    "needed": ("Route (m)", "Recorrido (m)"),
    "length": ("Length (m)", "Longitud (m)"),
    "too_many": (
        "The first {shown} of {count} links; cable_schedule.csv of the report holds all",
        "Los primeros {shown} de {count} enlaces; cable_schedule.csv del informe los tiene todos",
    ),
    "what": ("Figure", "Dato"),
    "value": ("Value", "Valor"),
    "assumption_kind": ("Rests on", "Procede de"),
    "source": ("Source of the figure", "Fuente del dato"),
    "default": ("default", "valor por defecto"),
    "estimate": ("estimate", "estimación"),
    "sourced": ("published", "publicado"),
}
LANGUAGES = ("en", "es")


class Phrases:
    """The words of one language."""

    __slots__ = ("_place",)

    def __init__(self, lang: str) -> None:
        """Choose a language.

        Raises
        ------
        UsageError
            If there is no such language.
        """
        if lang not in LANGUAGES:
            raise UsageError(f"--lang {lang}: unknown; one of {', '.join(LANGUAGES)}")
        self._place = LANGUAGES.index(lang)

    def __call__(self, key: str, **values: object) -> str:
        """Return a phrase with its values set in."""
        return _PHRASES[key][self._place].format(**values)

    def said(self, text: str) -> str:
        """Return a sentence of the program in this language, itself where it is not known."""
        known = sentences(LANGUAGES[self._place])
        return known.said(text) if known is not None else text

    def source(self, text: str) -> str:
        """Return a source: our own words in this language, a quoted title as it is."""
        known = sentences(LANGUAGES[self._place])
        return (known.quoted(text) if known is not None else None) or text
