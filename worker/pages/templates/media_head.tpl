{{>DISCOVERY}}
<link rel="canonical" href="{{PAGE}}">
{{STYLE}}
{{#LISTED}}{{JSON_LD}}
{{/LISTED}}
