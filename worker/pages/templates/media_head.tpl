{{>DISCOVERY}}
<link rel="canonical" href="{{PAGE}}">
{{JSON_LD}}
