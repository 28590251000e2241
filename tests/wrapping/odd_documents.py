"""Documents to begin with that are other than what the mutator makes: namespaces, document types, mixed content."""

from __future__ import annotations

from typing import Any

from lxml import etree

_MANY = " ".join(f'n{number}="{number}"' for number in range(120))

STARTS = {
    "namespaces": (
        '<r xmlns="urn:x" xmlns:p="urn:y" xmlns:q="urn:x" k="0" p:k="1" q:k="2">t<p:a q:k="3" k="4"/><q:a/>'
        '<a xmlns="">u<r xmlns="urn:x"><a/></r></a><p:a xmlns:p="urn:z" p:k="5"><p:b/></p:a></r>'
    ),
    "default namespace": '<svg xmlns="urn:s"><g><p d="M"/><desc>x<b xmlns="urn:h">y<i/></b>z</desc></g></svg>',
    "apostrophes in namespaces": """<r xmlns="it's" xmlns:p="a/b?c=d&amp;e"><p:a p:k="1">x</p:a><b xmlns=""/></r>""",
    "document type": (
        '<!DOCTYPE r [<!ELEMENT r ANY><!ATTLIST r k CDATA "d" l CDATA #FIXED "f"><!ATTLIST a k CDATA "q" l ID #IMPLIED '
        'xml:space (default|preserve) "preserve"><!ATTLIST item k (1|2) "1"><!NOTATION n SYSTEM "n">]>'
        '<r k="0"><a/>1<a k="own" l="i1"/><item>2</item><b><a l="i2"> </a></b></r>'
    ),
    "public document type": (
        '<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN" "http://www.w3.org/TR/xhtml1/DTD/xhtml1-strict.dtd">'
        '<html xmlns="http://www.w3.org/1999/xhtml"><body class="a">x<br/>y<p>z<b>w</b></p></body></html>'
    ),
    "beside the root": (
        "<?xml version='1.0' standalone='yes'?><!--1--><?xml-stylesheet type='text/xsl' href='s'?><!--2-->"
        "<r>1<a/>2</r><!--3--><?p q?><!--4-->"
    ),
    "mixed": "<r>a<b>b</b> <c/> <b> </b>c<!--n--> d<?p q?>\n<!--m--><c>e<c>f<c>g</c>h</c>i</c>\t</r>",
    "sections": (
        "<r><![CDATA[<a>&amp;]]>x<a>y<![CDATA[]]]]><![CDATA[>]]></a><![CDATA[ ]]>"
        "<b k='&#10;&#9;&#13;'>&#13;</b></r>"
    ),
    "characters": (
        "<r é='\U0001f600'>e\u0301\U00010000<中文 k='\u2028'>\x85\xa0\ufffd</中文>\u200b"
        "<_.-·>&lt;&amp;&gt;&quot;</_.-·></r>"
    ),
    "names of the language": (
        "<text><ins at='1'><del/>t</ins><comment k='n'>u</comment><at>v</at><event event='e'/></text>"
    ),
    "xml attributes": (
        "<r xml:space='preserve' xml:lang='en' xml:base='http://h/'><a id='a1'> </a> <b xml:lang=''/></r>"
    ),
    "many attributes": f"<r><a {_MANY}/><b k='1'><a {_MANY}>x</a></b></r>",
    "empty": "<r/>",
    "text only": "<r>t</r>",
    "nothing but comments": "<r><!--1--><?p q?><!--2-->x<!--3--></r>",
    "deep": "<a>" * 30 + "t" + "</a>u" * 29 + "</a>",
    "wide": "<r>" + "<a>1</a>2<b/>" * 12 + "</r>",
    "same names": "<a k='1'>1<a k='1'>1<a k='1'>1</a>1</a>1<a k='1'>1</a>1</a>",
}
HTML = (
    "<!DOCTYPE html><html><head><title>t</title><base href='http://h/'></head><body class='a b'><form action=x>"
    "<input name=n value=v><input type=checkbox name=c checked><input type=radio name=o value=1>"
    "<select name=s multiple><option value=1>1<option value=2 selected>2</select>"
    "<textarea name=t>tt</textarea><label for=i>l</label>"
    "<input id=i></form><p>x<br>y<script>if (a<b) c</script><a href=u>l</a>&nbsp;</body></html>"
)
NAMES = (*STARTS, "html")


def html_root() -> Any:
    """The root of a new tree of an HTML parser, of lxml's own classes."""
    parser = etree.HTMLParser()
    parser.set_element_class_lookup(etree.ElementDefaultClassLookup())
    return etree.fromstring(HTML, parser)
