"""Designs and protocols at work, as discrete events: what happens, when, and at what cost. Nothing is proved here."""
