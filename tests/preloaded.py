"""What forks the Python workers of Spark, in tests: all that they import and that starts no thread is there already."""

from __future__ import annotations

import pyspark.worker  # noqa: F401
from pyspark.daemon import manager

import xmlcep

if __name__ == "__main__":
    xmlcep.Detector(xmlcep.parse_rules("event A = ins(a)"))
    manager()
