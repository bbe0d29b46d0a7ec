// The description of the query interface (WSDL 1.1), complete in itself: its types are schema.ts.
import { xmlText } from '../http/xml-text.ts';
import { OPERATIONS } from './operations.ts';
import { schemas } from './schema.ts';

/** As the WSDL names them: getQueryNames is the operation of the message GetQueryNames. */
const DECLARED = Object.entries(OPERATIONS).map(([message, { faults }]) => ({
  name: message.replace(/^./, (letter) => letter.toLowerCase()),
  faults,
}));

export function wsdl(address: string): string {
  const faults = [...new Set(DECLARED.flatMap((operation) => operation.faults))];
  return `<?xml version="1.0" encoding="UTF-8"?>
<wsdl:definitions xmlns:wsdl="http://schemas.xmlsoap.org/wsdl/" xmlns:soap="http://schemas.xmlsoap.org/wsdl/soap/"
  xmlns:epcisq="urn:epcglobal:epcis-query:xsd:1" xmlns:impl="urn:epcglobal:epcis:wsdl:1"
  targetNamespace="urn:epcglobal:epcis:wsdl:1">
<wsdl:types>
${schemas()}
</wsdl:types>
${DECLARED.map(({ name }) => messages(name)).join('\n')}
${faults.map((name) => message(`${name}Response`, 'fault', name)).join('\n')}
<wsdl:portType name="EPCISServicePortType">
${DECLARED.map(portOperation).join('\n')}
</wsdl:portType>
<wsdl:binding name="EPCISServiceBinding" type="impl:EPCISServicePortType">
<soap:binding style="document" transport="http://schemas.xmlsoap.org/soap/http"/>
${DECLARED.map(boundOperation).join('\n')}
</wsdl:binding>
<wsdl:service name="EPCglobalEPCISService">
<wsdl:port name="EPCglobalEPCISServicePort" binding="impl:EPCISServiceBinding">
<soap:address location="${xmlText(address)}"/>
</wsdl:port>
</wsdl:service>
</wsdl:definitions>
`;
}

/** poll → Poll and, since its answer has a name of its own, QueryResults; the others → XResult. */
function messages(operation: string): string {
  const element = operation[0]?.toUpperCase() + operation.slice(1);
  const result = operation === 'poll' ? 'QueryResults' : `${element}Result`;
  return `${message(`${operation}Request`, 'parms', element)}\n${message(`${operation}Response`, `${operation}Return`, result)}`;
}

function message(name: string, part: string, element: string): string {
  return `<wsdl:message name="${name}"><wsdl:part name="${part}" element="epcisq:${element}"/></wsdl:message>`;
}

function portOperation({ name, faults }: (typeof DECLARED)[number]): string {
  const declared = faults.map((fault) => `<wsdl:fault name="${fault}Fault" message="impl:${fault}Response"/>`);
  return `<wsdl:operation name="${name}">
<wsdl:input name="${name}Request" message="impl:${name}Request"/>
<wsdl:output name="${name}Response" message="impl:${name}Response"/>
${declared.join('\n')}
</wsdl:operation>`;
}

function boundOperation({ name, faults }: (typeof DECLARED)[number]): string {
  const bound = faults.map(
    (f) => `<wsdl:fault name="${f}Fault"><soap:fault name="${f}Fault" use="literal"/></wsdl:fault>`,
  );
  return `<wsdl:operation name="${name}">
<soap:operation soapAction=""/>
<wsdl:input name="${name}Request"><soap:body use="literal"/></wsdl:input>
<wsdl:output name="${name}Response"><soap:body use="literal"/></wsdl:output>
${bound.join('\n')}
</wsdl:operation>`;
}
