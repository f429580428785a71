// Linked with AddressSanitizer's runtime, which ends a program in which another library comes before it.
int main()
{
  return 0;
}
