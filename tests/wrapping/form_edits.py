"""Edits by what lxml.html has for forms: fields, groups of fields, labels, classes, errors."""

from __future__ import annotations

from typing import Any

import lxml.html
import lxml.html.formfill
from lxml import etree


def filled(m: Any) -> None:
    """A form that is none of lxml.html's is filled in by a function of it."""
    forms = [node for node in m.root.iter("form") if not isinstance(node, lxml.html.FormElement)]
    if forms:
        lxml.html.formfill.fill_form(
            m.random.choice(forms), {"n": m.random.choice(["1", "2"])}, form_index=-1
        )
    else:
        m.element().append(etree.XML("<form><input name='n'/><textarea name='n'>t</textarea></form>"))


def append_form(m: Any) -> None:
    """A form of lxml.html's comes, and its elements are held: they would get other classes."""
    node = lxml.html.fromstring(FORM)
    m.held_outside = [*m.held_outside[-60:], *node.iter()]
    m.element().append(node)


def a_form(m: Any) -> Any:
    """One of the forms of lxml.html's that are held; None where there was none: then one comes."""
    forms = [node for node in m.root.iter("form") if isinstance(node, lxml.html.FormElement)]
    if forms:
        return m.random.choice(forms)
    append_form(m)
    return None


def form(m: Any) -> None:
    """A form of lxml.html's is edited by what its classes have."""
    each = a_form(m)
    if each is None:
        return
    if list(each.inputs):
        each.fields["n"] = m.random.choice(["v", "w", ""])
        each.fields["c"] = m.random.random() < 0.5
        each.fields["s"] = m.random.choice(["1", "2"])
    each.action = m.random.choice(["x", "y"])
    each.classes.toggle("z")
    each.method = "POST"
    each.make_links_absolute("http://h/")
    for node in each.iter("b"):
        m.random.choice([node.drop_tag, node.drop_tree])()


FORM = (
    "<form action=x>t<input name=n><b>u</b>v<input type=checkbox name=c>"
    + "<select name=s><option>1<option>2</select><label>l</label><textarea name=t>u</textarea></form>"
)


def form_parts(m: Any) -> None:
    """What else there is to a form of lxml.html's, as long as somebody holds its elements: inputs, labels, links."""
    each = a_form(m)
    if each is None:
        return
    each.set("id", "f")
    for node in each.iter():
        kind = m.random.randrange(4)
        if isinstance(node, lxml.html.LabelElement):
            if kind:
                node.for_element = each
            else:
                del node.for_element
        elif isinstance(node, (lxml.html.InputElement, lxml.html.TextareaElement, lxml.html.SelectElement)):
            if kind == 0:
                node.name = m.random.choice(["n", "o"])
            elif kind == 1:
                node.set("disabled", "disabled")
            elif isinstance(node, lxml.html.SelectElement):
                node.multiple = not node.multiple
            else:
                node.value = "2"
    each.classes |= {"y"}
    each.classes.discard("y")
    lxml.html.HtmlMixin.rewrite_links(each, lambda link: link + "/")
    lxml.html.HtmlMixin.resolve_base_href(each)
    lxml.html.formfill.insert_errors(each, {"n": "bad"})


def classes(m: Any) -> None:
    """The set that the attribute ``class`` is to lxml.html."""
    found = lxml.html.Classes(m.element().attrib)
    found.add("x")
    found |= {"y", "z"}
    found.discard("x")
    found.update({"v"})
    found -= {"y"}


def groups(m: Any) -> None:
    """What a form has of its fields of one name: radio buttons, check boxes, options."""
    form = lxml.html.fromstring(GROUPS)
    m.held_outside = [*m.held_outside[-60:], *form.iter()]
    m.element().append(form)
    form.inputs["r"].value = m.random.choice(["1", "2", None])
    form.inputs["c"].value = m.random.choice([["1"], ["1", "2"]])
    options = form.inputs["s"].value
    options.add("1")
    options.discard("2")
    form.fields["t"], form.fields["s"] = "u", ["2"]
    form.inputs["t"].name = "u"
    form.inputs["t2"].value = None
    form.inputs["r"][0].checked = True


GROUPS = (
    "<form action=x><input type=radio name=r value=1><input type=radio name=r value=2 checked>"
    "<input type=checkbox name=c value=1><input type=checkbox name=c value=2>"
    "<select name=s multiple><option value=1>1<option value=2 selected>2</select>"
    "<input name=t value=1><textarea name=t2>x</textarea></form>"
)
