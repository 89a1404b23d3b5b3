// One dimension, floats, an argument of an argument's value, `+=` on an array that is only written
// at its own point.
//
// RUN: stencilc run %s --arg dt=0.125 --on=emulator --verify --seed=8
// RUN: stencilc run %s --declare="float old[101]; domain [3:90]" --arg dt=0.125 --on=emulator --verify --seed=8
enum { unused = 1 };
float now[101], old[101];
static float speed = 0.25f;
void wave(float dt)
{
    for (int i = 1; i < 100; ++i)
#pragma begin wave unroll i=4
        old[i] = 2*now[i] - old[i] + dt*dt*speed*(now[i-1] - 2*now[i] + now[i+1]);
#pragma end wave
}
