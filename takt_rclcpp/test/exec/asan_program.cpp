// Linked with AddressSanitizer's runtime, which ends the program if another library comes before
// the runtime.
int main()
{
  return 0;
}
