{{>DISCOVERY}}
<link rel="canonical" href="{{PAGE}}">
{{#LISTED}}{{JSON_LD}}
{{/LISTED}}
