/** Returns an id for a receipt that nobody can guess. Unlike `crypto.randomUUID`, it works in pages without TLS too. */
export function receiptID(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
