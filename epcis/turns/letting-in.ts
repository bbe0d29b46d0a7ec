// How the documents of this process let others in, whosever they are.
import { LettingIn } from '../service/letting-in.ts';
import { LOOP_TIME } from './loop-time.ts';

export const lettingIn = new LettingIn(LOOP_TIME);
