double a[64], b[64], total;

void counts(void)
{
    for (int i = 1; i < 63; i++)
    {
            total += a[i];
#pragma begin counted
        b[i] = a[i-1] + a[i+1];
#pragma end counted
    }
}

int live(void)
{
    int i;
    for (i = 1; i < 63; i++) {
#pragma begin kept
        b[i] = a[i-1] - a[i+1];
#pragma end kept
    }
    return i;
}

// stencil: domain alone [1:62];
void alone(int i)
{
#pragma begin alone unroll i=1
    b[i] = a[i-1]*a[i+1];
#pragma end alone
}
