"""The recovery protocol itself, checked within a bound: do brokers agree on a colour, whatever becomes of messages?"""
