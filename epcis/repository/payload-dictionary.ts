// What events usually say, so that even a short one compresses well.
// Part of the storage format: never change it, add another (see payload.ts).
const JSON_EVENT =
  '"errorDeclaration":{"declarationTime":"2024-01-01T00:00:00.000Z","reason":"https://ref.gs1.org/cbv/ER-incorrect_data",' +
  '"correctiveEventIDs":["urn:uuid:"]},"certificationInfo":["persistentDisposition":{"set":["https://ref.gs1.org/cbv/Disp-' +
  'completeness_inferred"],"unset":["sensorElementList":[{"sensorMetadata":{"time":"2024-","startTime":"endTime":"deviceID":' +
  '"urn:epc:id:giai:deviceMetadata":"https://id.gs1.org/8004/rawData":"dataProcessingMethod":"https://example.com/253/bizRules":' +
  '"},"sensorReport":[{"type":"https://gs1.org/voc/Temperature","value":,"uom":"CEL","minValue":"maxValue":"meanValue":' +
  '"percRank":"percValue":"type":"gs1:RelativeHumidity","uom":"A93"}]}],"inputEPCList":["outputEPCList":["inputQuantityList":[' +
  '"outputQuantityList":[{"epcClass":"urn:epc:class:lgtin:"quantity":,"uom":"KGM"}],"transformationID":"urn:epc:id:gdti:' +
  '"childQuantityList":[{"epcClass":"urn:epc:idpat:sgtin:"ilmd":[{"namespace":"https://example.com/ns/","name":"lot","prefix":' +
  '"ex","value":"extensions":[{"namespace":"http://example.com/","name":"","prefix":"example","value":"","json":"number"}],' +
  '"sourceList":[{"type":"https://ref.gs1.org/cbv/SDT-possessing_party","value":"urn:epc:id:pgln:"}],"destinationList":[{"type":' +
  '"https://ref.gs1.org/cbv/SDT-owning_party","value":"urn:epc:id:sgln:"}],"bizTransactionList":[{"type":' +
  '"https://ref.gs1.org/cbv/BTT-po","value":"urn:epcglobal:cbv:bt:"},{"type":"https://ref.gs1.org/cbv/BTT-desadv","value":' +
  '"quantityList":[{"epcClass":"urn:epc:class:lgtin:","quantity":10}],{"type":"ObjectEvent","eventID":"urn:uuid:","eventTime":' +
  '"2024-01-01T00:00:00.000+00:00","eventTimeZoneOffset":"+00:00","type":"TransformationEvent","type":"AssociationEvent","type":' +
  '"TransactionEvent","type":"AggregationEvent","parentID":"urn:epc:id:sscc:","childEPCs":["epcList":["urn:epc:id:sgtin:' +
  '"https://id.gs1.org/01/0/21/"],"action":"ADD","action":"DELETE","action":"OBSERVE","bizStep":"https://ref.gs1.org/cbv/BizStep-' +
  'commissioning","packing","shipping","receiving","disposition":"https://ref.gs1.org/cbv/Disp-in_transit","in_progress","active",' +
  '"readPoint":{"id":"urn:epc:id:sgln:"},"bizLocation":{"id":"urn:epc:id:sgln:"}}\njson\n{"@context":' +
  '["https://ref.gs1.org/standards/epcis/2.0.0/epcis-context.jsonld",{"example":"https://example.com/epcis/"}],';

const XML_EVENT =
  'xml\n<ObjectEvent xmlns:epcis="urn:epcglobal:epcis:xsd:2" xmlns:cbvmda="urn:epcglobal:cbv:mda" ' +
  'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xmlns:example="http://example.com/epcis/"><eventTime>' +
  '2024-01-01T00:00:00.000Z</eventTime><recordTime></recordTime><eventTimeZoneOffset>+00:00</eventTimeZoneOffset>' +
  '<baseExtension><eventID>urn:uuid:</eventID><errorDeclaration><declarationTime></declarationTime><reason>' +
  'urn:epcglobal:cbv:er:incorrect_data</reason><correctiveEventIDs><correctiveEventID></correctiveEventID>' +
  '</correctiveEventIDs></errorDeclaration></baseExtension><sensorElementList><sensorElement><sensorMetadata time="" ' +
  'deviceID=""/><sensorReport type="gs1:Temperature" value="" uom="CEL"/></sensorElement></sensorElementList>' +
  '<persistentDisposition><set>completeness_verified</set></persistentDisposition><parentID>urn:epc:id:sscc:</parentID>' +
  '<childEPCs><epc>urn:epc:id:sgtin:</epc></childEPCs><epcList><epc>urn:epc:id:sgtin:</epc><epc>https://id.gs1.org/01/</epc>' +
  '</epcList><action>ADD</action><action>DELETE</action><action>OBSERVE</action><bizStep>urn:epcglobal:cbv:bizstep:' +
  'commissioning</bizStep><bizStep>receiving</bizStep><bizStep>urn:epcglobal:cbv:bizstep:shipping</bizStep><disposition>' +
  'urn:epcglobal:cbv:disp:in_transit</disposition><disposition>in_progress</disposition><readPoint><id>urn:epc:id:sgln:' +
  '</id></readPoint><bizLocation><id>urn:epc:id:sgln:</id></bizLocation><bizTransactionList><bizTransaction ' +
  'type="urn:epcglobal:cbv:btt:po">urn:epcglobal:cbv:bt:</bizTransaction></bizTransactionList><quantityList>' +
  '<quantityElement><epcClass>urn:epc:class:lgtin:</epcClass><quantity>10</quantity><uom>KGM</uom></quantityElement>' +
  '</quantityList><sourceList><source type="urn:epcglobal:cbv:sdt:possessing_party">urn:epc:id:pgln:</source></sourceList>' +
  '<destinationList><destination type="urn:epcglobal:cbv:sdt:owning_party"></destination></destinationList><ilmd>' +
  '<cbvmda:lot></cbvmda:lot></ilmd><extension></extension></ObjectEvent></AggregationEvent></TransformationEvent>' +
  '</TransactionEvent></QuantityEvent></AssociationEvent>';

export const DICTIONARY = JSON_EVENT + XML_EVENT;
