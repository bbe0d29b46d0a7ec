// Port: a predictor makes one number of a VM's samples.
/** `samples` are real ones, newest first; at most `window` of them count. */
export type Predictor = (samples: readonly number[], window: number) => number;
