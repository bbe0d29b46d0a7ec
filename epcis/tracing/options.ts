// What an operator can set of traces, each setting declared once; gateway and VMs go by the same.
import type { Values } from '../domain/setting.ts';

export const tracingSettings = {
  endpoint: {
    type: 'text',
    pattern: '(https?://[^/?#@\\s]+(/[^?#\\s]*)?)?',
    expected: 'a URL such as http://127.0.0.1:4318, without a login in it,',
    default: '',
    doc: 'OpenTelemetry collector that gateway and VMs send traces to (OTLP/HTTP, JSON; /v1/traces is added); empty: there are no traces',
  },
  share: {
    type: 'number',
    default: 0.01,
    min: 0,
    max: 1,
    doc: 'part of the requests that are traced; where a client says by its traceparent whether its request is, that counts',
  },
} as const;

export type TracingSettings = Values<typeof tracingSettings>;
