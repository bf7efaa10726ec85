"""Controls of forms in OpenDocument files (ODF 1.3 part 3 §13): their labels and what was filled in are attributes.

Of lists what is chosen is shown; what is hidden, and passwords, are not.
"""

from nearkin.formats.xml_events import Event

LABEL, VALUES = "form:label", ("form:current-value", "form:value")
CHOSEN = ("form:current-selected", "form:selected")
FILLED_IN = {"text", "textarea", "combobox", "formatted-text", "number", "date", "time", "generic-control"}
LABELLED = {"fixed-text", "button", "checkbox", "radio", "frame"}


def control_text(event: Event) -> str:
    """Nothing where it is no control."""
    told = event.attributes
    if event.name in LABELLED:
        return told.get(LABEL, "")
    if event.name in FILLED_IN:
        return next((told[name] for name in VALUES if told.get(name)), "")
    if event.name == "option" and next((told[name] for name in CHOSEN if name in told), "") == "true":
        return told.get(LABEL, "")
    return ""
