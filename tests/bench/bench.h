#pragma once

// The table of what each protocol costs (protocols.cpp).
void print_protocols();
