/** What a call comes to, or the failure `late` where that takes longer; what it comes to after that is nobody's. */
export async function inTime<T>(call: Promise<T>, ms: number, late: Error): Promise<T> {
  const over = Promise.withResolvers<never>();
  const timer = setTimeout(() => over.reject(late), ms).unref();
  try {
    return await Promise.race([call, over.promise]);
  } finally {
    clearTimeout(timer);
  }
}
