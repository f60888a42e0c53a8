/** A descriptor with every possible block, each of them right (platform-contracts 2.2, 2.5). */
export const WHOLE_DESCRIPTOR = `<?xml version="1.0" encoding="UTF-8"?>
<!-- Every block, in no order. -->
<ServerApplication xmlns="https://apps-api.platform.example/xml/ns/appstore/app/v2"
    xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"
    xsi:schemaLocation="https://apps-api.platform.example/xml/ns/appstore/app/v2 https://apps-api.platform.example/xml/ns/appstore/app/v2/application-v2.xsd">
  <iframes>
    <iframe type="main" sourceUrl="https://till.shop-tools.example/ui?a=1&amp;b=2" useContextKey="false"><uses><user-context/></uses></iframe>
    <iframe type="chat" sourceUrl='https://till.shop-tools.example/chat'/>
  </iframes>
  <vendorApi>
    <endpointBase>https://till.shop-tools.example/vendor</endpointBase>
    <additionalEvents><updatePermissions/></additionalEvents>
  </vendorApi>
  <access>
    <resource>https://api.platform.example/api/remap/1.2</resource>
    <scope>custom</scope>
    <permissions>
      <viewDashboard/><useOwnWebhooks/>
      <retailStore><view/></retailStore>
      <company><view/></company>
      <good><view/><update/><delete/></good>
    </permissions>
  </access>
  <loyaltyApi/>
  <fiscalApi>
    <endpointBase>https://till.shop-tools.example/fiscal</endpointBase>
    <operationTypes><openShift/><closeShift/><retailDemand/><retailSalesReturn/></operationTypes>
    <paymentTypes><cash/><card/><cashCard/><qr/></paymentTypes>
  </fiscalApi>
  <qrPayApi>
    <paymentProvider>
      <name><![CDATA[Shop & tools QR]]></name>
      <qrType>MERCHANT_GENERATED_DYNAMIC</qrType>
      <endpointBase>https://till.shop-tools.example/qr</endpointBase>
    </paymentProvider>
  </qrPayApi>
  <widgets>
    <document.retaildemand.edit>
      <sourceUrl>https://till.shop-tools.example/widget</sourceUrl>
      <height><fixed>150px</fixed></height>
      <supports><open-feedback/></supports>
    </document.retaildemand.edit>
  </widgets>
  <popups><popup><name>receipt</name><sourceUrl>https://till.shop-tools.example/popup</sourceUrl></popup></popups>
  <buttons>
    <button name="again" title="Ещё раз" useSelected="true"><locations><document.retaildemand.edit/></locations></button>
  </buttons>
  <scenario><action name="print" title="Напечатать"/></scenario>
</ServerApplication>
`;

/** For each rule, a text and its replacement that breaks only this rule. */
export const BROKEN_DESCRIPTORS: Record<string, [string, string]> = {
  "descriptor/envelope/well-formed": ["</access>", ""],
  "descriptor/envelope/root": ['app/v2"\n', 'app/v1"\n'],
  "descriptor/envelope/schema-location": ["application-v2.xsd", "application-v1.xsd"],
  "descriptor/envelope/blocks": ["<loyaltyApi/>", "<loyaltyApi/><loyalty/>"],
  "descriptor/envelope/https": ["https://till.shop-tools.example/popup", "http://till.shop-tools.example/popup"],
  "descriptor/envelope/no-trailing-slash": ["example/qr<", "example/qr/<"],
  "descriptor/interfaces/vendor-api": ["<endpointBase>https://till.shop-tools.example/vendor</endpointBase>", ""],
  "descriptor/interfaces/additional-events": ["<updatePermissions/>", "<updatePermissions>yes</updatePermissions>"],
  "descriptor/interfaces/fiscal-base": ["<endpointBase>https://till.shop-tools.example/fiscal</endpointBase>", ""],
  "descriptor/interfaces/operation-types": ["<retailSalesReturn/>", "<retaiSalesReturn/>"],
  "descriptor/interfaces/payment-types": ["<cashCard/>", "<cash/>"],
  "descriptor/interfaces/qr-providers": ["MERCHANT_GENERATED_DYNAMIC", "MERCHANT_GENERATED_STATIC"],
  "descriptor/interfaces/loyalty": [
    "<loyaltyApi/>",
    "<loyaltyApi><endpointBase>https://till.shop-tools.example/loyalty</endpointBase></loyaltyApi>",
  ],
  "descriptor/interfaces/order": [
    "<resource>https://api.platform.example/api/remap/1.2</resource>\n    <scope>custom</scope>",
    "<scope>custom</scope><resource>https://api.platform.example/api/remap/1.2</resource>",
  ],
  "descriptor/access/resource": ["api/remap/1.2</resource>", "api/remap/1.1</resource>"],
  "descriptor/access/scope": ["<scope>custom</scope>", "<scope>all</scope>"],
  "descriptor/access/permissions-with-custom": ["<scope>custom</scope>", "<scope>admin</scope>"],
  "descriptor/access/entity-rights": ["<view/><update/><delete/>", "<view/><delete/>"],
  "descriptor/access/customers": ["<company><view/></company>", ""],
  "descriptor/access/one-of-each-pair": ["<useOwnWebhooks/>", "<useOwnWebhooks/><useAllWebhooks/>"],
  "descriptor/windows/iframes": ['type="chat"', 'type="main"'],
  "descriptor/windows/uses": ["<open-feedback/>", "<open-feedbacks/>"],
  "descriptor/windows/booleans": ['useSelected="true"', 'useSelected="yes"'],
  "descriptor/windows/widgets": ["150px", "150"],
  "descriptor/windows/popups": ["<name>receipt</name>", ""],
  "descriptor/windows/buttons": [' title="Напечатать"', ""],
};
