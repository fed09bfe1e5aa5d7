"""Clients of one broker, any number of them: a *discipline*. What can they do that must never be?"""
