/* SPDX-License-Identifier: Apache-2.0 */
/* Compiled with contraction on: contraction.py must find a fused instruction here. */
float contracted(float a, float b, float c);

float contracted(float a, float b, float c)
{
    return a * b + c;
}
