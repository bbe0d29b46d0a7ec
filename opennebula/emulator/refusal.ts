/** An error of OpenNebula's own: HTTP 200 and five elements. */
export class Refusal extends Error {
  readonly code: number;
  readonly objectId: number;

  constructor(code: number, message: string, objectId = -1) {
    super(message);
    this.code = code;
    this.objectId = objectId;
  }
}

export const AUTHORIZATION = 512;
export const ALLOCATION = 16384;
